import type { DataSource } from 'typeorm';
import type { TopicHandler } from '../consume/topic-handler.ts';
import type { StageParts } from '../stage-parts.ts';
import type { EventLogTransport } from '../transport/event-log-transport.ts';

/** Rows are counted no further: a scrape stays cheap when a table has grown long. */
const COUNT_LIMIT = 100_000;

/** What lies in the tables: looked up when somebody scrapes, by index or up to a limit. */
export async function sampleBacklog(
  parts: StageParts,
  transport: Pick<EventLogTransport, 'handlers' | 'assignment'>,
  dataSource: DataSource,
  jobKinds: readonly string[],
): Promise<void> {
  const { metrics, board } = parts;
  metrics.ready.set({}, board.read().ready ? 1 : 0);
  samplePool(parts, dataSource);
  await sampleProgress(parts, transport.handlers(), transport);
  try {
    await Promise.all([sampleOutbox(parts), sampleJobs(parts, jobKinds), metrics.gatherAll()]);
  } catch (error) {
    metrics.sampleFailures.inc();
    throw error;
  }
}

async function sampleProgress(
  { metrics, progress, log }: StageParts,
  handlers: readonly TopicHandler[],
  transport: Pick<EventLogTransport, 'assignment'>,
): Promise<void> {
  const held = transport.assignment();
  for (const topic of progress.stuckTopics(held)) {
    // Only where a partition is held up: a consumer that moves knows it from what it fetched.
    const description = await withinSecond(log.admin.describe(topic));
    if (description !== undefined) progress.ends(topic, description.incarnation, description.partitions);
  }
  for (const { topic } of handlers) {
    const { lag, oldestAge } = progress.read(topic.name, held);
    metrics.lag.set({ topic: topic.name }, lag);
    metrics.oldestAge.set({ topic: topic.name }, oldestAge);
  }
}

/** A log that is away is what readiness tells of; the lag stays as it was last seen. */
async function withinSecond<T>(work: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), 1_000);
  });
  const found = await Promise.race([work.catch(() => undefined), tooLate]);
  clearTimeout(timer);
  return found;
}

async function sampleOutbox({ transactions, metrics }: StageParts): Promise<void> {
  const [row] = await transactions.query<{ events: bigint; age: number }>(
    `SELECT (SELECT count(*) FROM (SELECT FROM outbox WHERE refused IS NULL LIMIT $1) AS counted) AS events,
       (SELECT coalesce(max(extract(epoch FROM clock_timestamp() - oldest.created_at)), 0)::float8
        FROM generate_series(0, 3) AS s (shard), LATERAL (
          SELECT created_at FROM outbox o WHERE o.shard = s.shard AND o.refused IS NULL ORDER BY o.id LIMIT 1) AS oldest) AS age`,
    [COUNT_LIMIT],
  );
  metrics.outboxEvents.set({}, Number(row?.events ?? 0));
  metrics.outboxAge.set({}, row?.age ?? 0);
}

async function sampleJobs({ transactions, metrics }: StageParts, kinds: readonly string[]): Promise<void> {
  if (kinds.length === 0) return;
  const rows = await transactions.query<{ kind: string; jobs: bigint; age: number }>(
    `SELECT kind, count(*) AS jobs, extract(epoch FROM clock_timestamp() - min(created_at))::float8 AS age
     FROM (SELECT kind, created_at FROM jobs LIMIT $1) AS counted GROUP BY kind`,
    [COUNT_LIMIT],
  );
  for (const kind of kinds) {
    const row = rows.find((one) => one.kind === kind);
    metrics.openJobs.set({ kind }, Number(row?.jobs ?? 0));
    metrics.jobsAge.set({ kind }, row?.age ?? 0);
  }
}

/** What `pg` tells of its pool. */
interface PoolCounts {
  readonly totalCount: number;
  readonly idleCount: number;
  readonly waitingCount: number;
  readonly options: { readonly max: number };
}

function samplePool({ metrics, transactions }: StageParts, dataSource: DataSource): void {
  const { master } = dataSource.driver as unknown as { master?: PoolCounts };
  if (master === undefined) return;
  metrics.connections.set({ state: 'idle' }, master.idleCount);
  metrics.connections.set({ state: 'busy' }, master.totalCount - master.idleCount);
  metrics.connectionsLimit.set({}, master.options.max);
  metrics.connectionsAwaited.set({}, master.waitingCount + transactions.waiting);
}

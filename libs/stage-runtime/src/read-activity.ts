import { groupName, OffsetOutOfRangeError } from '@tidemark/event-log';
import type { Activity } from './activity.ts';
import type { StageParts } from './stage-parts.ts';
import type { ActivitySource } from './worker.ts';

/** Counts what a service has in hand. */
export async function readActivity(
  parts: StageParts,
  consumed: readonly string[],
  sources: readonly ActivitySource[],
): Promise<Activity> {
  const { transactions, identity } = parts;
  const counts = async (sql: string) => {
    const rows = await transactions.query<{ name: string; count: bigint }>(sql);
    return Object.fromEntries(rows.map(({ name, count }) => [name, Number(count)]));
  };
  // In this order: what a look at the lag misses because it was just handled shows in the outbox, the jobs, the work.
  const standings = await Promise.all(consumed.map((name) => standingOn(parts, name)));
  const lag = Object.fromEntries(standings.map((standing, index) => [consumed[index] ?? '', standing.lag]));
  const offsetsOutside = standings.flatMap(({ outside }) => outside);
  const openJobs = await counts('SELECT kind AS name, count(*) AS count FROM jobs GROUP BY kind');
  const pending = await Promise.all(sources.map((source) => source.pendingWork()));
  const waiting = (await Promise.all(sources.map((source) => source.waiting?.() ?? []))).flat();
  const pendingWork = Object.assign({}, ...pending) as Record<string, number>;
  const [outbox] = await transactions.query<{ rows: bigint; progress: bigint }>(
    `SELECT (SELECT count(*) FROM outbox) AS rows,
       (SELECT last_value FROM outbox_id) + (SELECT coalesce(sum(next), 0) FROM consumed_offsets)::bigint AS progress`,
  );
  const deadLetters = await counts('SELECT topic AS name, sum(count) AS count FROM dead_letter_counts GROUP BY topic');
  return {
    service: identity.service,
    lag,
    outboxRows: Number(outbox?.rows ?? 0),
    openJobs,
    pendingWork,
    progress: Number(outbox?.progress ?? 0),
    ...(offsetsOutside.length > 0 && { offsetsOutside }),
    ...(waiting.length > 0 && { waiting }),
    deadLetters,
  };
}

/** How far the service is on a topic. */
async function standingOn(
  { log, transactions, identity }: StageParts,
  topic: string,
): Promise<{ readonly lag: number; readonly outside: readonly string[] }> {
  // Offsets first: read later, one may lie behind an end that has grown meanwhile.
  const rows = await transactions.query<{ incarnation: string; partition: number; next: bigint }>(
    'SELECT incarnation, partition, next FROM consumed_offsets WHERE consumer_group = $1 AND topic = $2',
    [groupName(identity.environment, identity.service, topic), topic],
  );
  const description = await log.admin.describe(topic);
  if (description === undefined) return { lag: 0, outside: [] };
  const own = rows.filter(({ incarnation }) => incarnation === description.incarnation);
  const stored = new Map(own.map((row) => [row.partition, row.next]));
  let lag = 0n;
  const outside: string[] = [];
  for (const [partition, { logStart, logEnd }] of description.partitions.entries()) {
    const next = stored.get(partition) ?? logStart;
    if (next < logStart || next > logEnd) {
      outside.push(new OffsetOutOfRangeError(topic, partition, next, logStart, logEnd).message);
    }
    if (next < logEnd) lag += logEnd - next;
  }
  return { lag: Number(lag), outside };
}

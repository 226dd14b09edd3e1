import { groupName } from '@tidemark/event-log';
import type { Activity } from './activity.ts';
import type { TopicHandler } from './consume/topic-handler.ts';
import type { StageParts } from './stage-parts.ts';
import type { ActivitySource } from './worker.ts';

/** Counts what a service has in hand. */
export async function readActivity(
  parts: StageParts,
  handlers: readonly TopicHandler[],
  sources: readonly ActivitySource[],
): Promise<Activity> {
  const { transactions, identity } = parts;
  const counts = async (sql: string) => {
    const rows = await transactions.query<{ name: string; count: bigint }>(sql);
    return Object.fromEntries(rows.map(({ name, count }) => [name, Number(count)]));
  };
  // In this order: what a look at the lag misses because it was just handled shows in the outbox, the jobs, the work.
  const lag = Object.fromEntries(
    await Promise.all(handlers.map(async ({ topic: { name } }) => [name, await lagOf(parts, name)] as const)),
  );
  const openJobs = await counts('SELECT kind AS name, count(*) AS count FROM jobs GROUP BY kind');
  const pending = await Promise.all(sources.map((source) => source.pendingWork()));
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
    deadLetters,
  };
}

async function lagOf({ log, transactions, identity }: StageParts, topic: string): Promise<number> {
  const description = await log.admin.describe(topic);
  if (description === undefined) return 0;
  const rows = await transactions.query<{ partition: number; next: bigint }>(
    `SELECT partition, next FROM consumed_offsets WHERE consumer_group = $1 AND topic = $2 AND incarnation = $3`,
    [groupName(identity.environment, identity.service, topic), topic, description.incarnation],
  );
  const next = new Map(rows.map((row) => [row.partition, row.next]));
  const lags = description.partitions.map(
    ({ logStart, logEnd }, partition) => logEnd - (next.get(partition) ?? logStart),
  );
  return Number(lags.reduce((sum, lag) => sum + (lag > 0n ? lag : 0n), 0n));
}

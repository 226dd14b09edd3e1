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
  const { lag, outside: offsetsOutside } = await standingOn(parts, consumed);
  const openJobs = await counts('SELECT kind AS name, count(*) AS count FROM jobs GROUP BY kind');
  const pending = await Promise.all(sources.map((source) => source.pendingWork()));
  const waiting = (await Promise.all(sources.map(async (source) => (await source.waiting?.()) ?? []))).flat();
  const pendingWork = Object.assign({}, ...pending) as Record<string, number>;
  const [outbox] = await transactions.query<{ rows: bigint; refused: bigint; progress: bigint }>(
    `SELECT (SELECT count(*) FROM outbox WHERE refused IS NULL) AS rows,
       (SELECT count(*) FROM outbox WHERE refused IS NOT NULL) AS refused,
       (SELECT last_value FROM outbox_id) + (SELECT coalesce(sum(next), 0) FROM consumed_offsets)::bigint AS progress`,
  );
  const deadLetters = await counts('SELECT topic AS name, sum(count) AS count FROM dead_letter_counts GROUP BY topic');
  return {
    service: identity.service,
    lag,
    outboxRows: Number(outbox?.rows ?? 0),
    ...((outbox?.refused ?? 0n) > 0n && { outboxRefused: Number(outbox?.refused) }),
    openJobs,
    pendingWork,
    progress: Number(outbox?.progress ?? 0),
    ...(offsetsOutside.length > 0 && { offsetsOutside }),
    ...(waiting.length > 0 && { waiting }),
    deadLetters,
  };
}

/** How far the service is on the topics that it consumes. */
async function standingOn(
  { log, transactions, identity: { environment, service } }: StageParts,
  consumed: readonly string[],
): Promise<{ readonly lag: Readonly<Record<string, number>>; readonly outside: readonly string[] }> {
  // Offsets first: read later, one may lie behind an end that has grown meanwhile.
  const rows = await transactions.query<{ topic: string; incarnation: string; partition: number; next: bigint }>(
    `SELECT o.topic, o.incarnation, o.partition, o.next
     FROM unnest($1::text[], $2::text[]) AS c (consumer_group, topic) JOIN consumed_offsets o USING (consumer_group, topic)`,
    [consumed.map((topic) => groupName(environment, service, topic)), consumed],
  );
  const described = await log.admin.describeAll(consumed);
  const lag: Record<string, number> = Object.fromEntries(consumed.map((topic) => [topic, 0]));
  const outside: string[] = [];
  for (const { name: topic, incarnation, partitions } of described.values()) {
    const own = rows.filter((row) => row.topic === topic && row.incarnation === incarnation);
    const stored = new Map(own.map((row) => [row.partition, row.next]));
    for (const [partition, { logStart, logEnd }] of partitions.entries()) {
      const next = stored.get(partition) ?? logStart;
      if (next < logStart || next > logEnd) {
        outside.push(new OffsetOutOfRangeError(topic, partition, next, logStart, logEnd).message);
      }
      if (next < logEnd) lag[topic] = (lag[topic] ?? 0) + Number(logEnd - next);
    }
  }
  return { lag, outside };
}

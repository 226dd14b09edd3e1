import type { Fetched, FetchLimits } from '../fetched.ts';
import type { LogBounds, LogRecord } from '../port.ts';
import type { Database } from './database.ts';
import { decodeHeaders } from './headers-codec.ts';
import type { TopicEntry } from './topic-catalog.ts';

interface Row {
  readonly partition: number;
  readonly log_start: bigint;
  readonly log_end: bigint;
  readonly offset: bigint | null;
  readonly timestamp_ms: bigint | null;
  readonly key: Buffer | null;
  readonly value: Buffer | null;
  readonly headers: Buffer | null;
  /** Records that were there to choose from, as many as may come at once. */
  readonly candidates: bigint | null;
}

/**
 * Reads several partitions of one topic, with their bounds, in one statement: it sees one state of the log, so a
 * segment that is dropped meanwhile can't pass for a hole. A partition that is not there is absent from the answer.
 */
export async function fetchPartitions(
  database: Database,
  topic: TopicEntry,
  positions: ReadonlyMap<number, bigint>,
  limits: FetchLimits,
): Promise<Fetched[]> {
  const rows = await database.query<Row>(
    `SELECT w.partition, p.log_start, p.log_end, r."offset", r.timestamp_ms, r.key, r.value, r.headers,
       r.candidates
     FROM unnest($1::int[], $2::bigint[]) AS w(partition, start)
     JOIN event_log.partitions p ON p.topic_id = $3 AND p.partition = w.partition
     LEFT JOIN LATERAL (
       SELECT * FROM (
         SELECT n.*, sum(n.bytes) OVER (ORDER BY n."offset") - n.bytes AS bytes_before,
           count(*) OVER () AS candidates FROM (
           SELECT t."offset", t.timestamp_ms, t.bytes, t.key, t.value, t.headers
           FROM event_log.topic_${topic.id} t
           WHERE t.partition = w.partition AND t."offset" >= w.start AND t."offset" < p.log_end
           ORDER BY t."offset" LIMIT $4
         ) n
       ) m WHERE m.bytes_before = 0 OR m.bytes_before + m.bytes <= $5
     ) r ON true
     ORDER BY w.partition, r."offset"`,
    [[...positions.keys()], [...positions.values()].map(String), topic.id, limits.maxRecords, limits.maxBytes],
  );
  const fetched: Fetched[] = [];
  let at = 0;
  while (at < rows.length) {
    const first = rows[at] as Row;
    let end = at;
    while (end < rows.length && (rows[end] as Row).partition === first.partition) end += 1;
    fetched.push(toFetched(topic, rows.slice(at, end), first, positions.get(first.partition) ?? 0n, limits));
    at = end;
  }
  return fetched;
}

function toFetched(topic: TopicEntry, rows: Row[], first: Row, from: bigint, limits: FetchLimits): Fetched {
  const records: LogRecord[] = [];
  for (const row of rows) {
    if (row.offset === null || row.headers === null) continue;
    records.push({
      topic: topic.name,
      partition: row.partition,
      offset: row.offset,
      timestampMs: Number(row.timestamp_ms),
      key: row.key,
      value: row.value,
      headers: decodeHeaders(row.headers),
    });
  }
  const logEnd = first.log_end;
  const cut = records.length >= limits.maxRecords || records.length < Number(first.candidates ?? 0n);
  const last = records.at(-1);
  const nextOffset = cut && last ? last.offset + 1n : logEnd > from ? logEnd : from;
  return { partition: first.partition, from, logStart: first.log_start, logEnd, records, nextOffset };
}

/** Bounds of all partitions, by number; empty when the topic is gone. */
export async function boundsOf(database: Database, topicId: number): Promise<LogBounds[]> {
  const rows = await database.query<{ log_start: bigint; log_end: bigint }>(
    'SELECT log_start, log_end FROM event_log.partitions WHERE topic_id = $1 ORDER BY partition',
    [topicId],
  );
  return rows.map((row) => ({ logStart: row.log_start, logEnd: row.log_end }));
}

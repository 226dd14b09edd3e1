import type { Sql } from './database.ts';

/**
 * Makes an empty segment. Attached at once (`attach`), or, for a copy, when it is full: `attachSegment`.
 * The check lets PostgreSQL attach it without reading it through.
 */
export async function createSegment(sql: Sql, topicId: number, how: 'open' | 'copy'): Promise<number> {
  const [row] = await sql<{ id: number }>(
    'INSERT INTO event_log.segments (topic_id, compacted) VALUES ($1, $2) RETURNING id',
    [topicId, how === 'copy'],
  );
  const id = Number(row?.id);
  await sql(`CREATE TABLE event_log.segment_${id}
    (LIKE event_log.topic_${topicId} INCLUDING INDEXES, CHECK (segment_id = ${id}))`);
  return id;
}

export async function attachSegment(sql: Sql, topicId: number, segmentId: number): Promise<void> {
  await sql(`ALTER TABLE event_log.topic_${topicId} ATTACH PARTITION event_log.segment_${segmentId}
    FOR VALUES IN (${segmentId})`);
}

/**
 * Lets every partition's next record go to a new segment, and seals the one before.
 * Locks the partitions in the order in which appends lock them.
 */
export async function rollSegment(sql: Sql, topicId: number): Promise<void> {
  const next = await createSegment(sql, topicId, 'open');
  await attachSegment(sql, topicId, next);
  await lockPartitions(sql, topicId);
  await sql(
    `UPDATE event_log.segments s SET sealed_at = clock_timestamp(), log_ends =
       (SELECT array_agg(p.log_end ORDER BY p.partition) FROM event_log.partitions p WHERE p.topic_id = s.topic_id)
     WHERE s.topic_id = $1 AND s.sealed_at IS NULL AND s.id <> $2`,
    [topicId, next],
  );
  await sql('UPDATE event_log.partitions SET segment_id = $2 WHERE topic_id = $1', [topicId, next]);
}

export async function lockPartitions(sql: Sql, topicId: number): Promise<void> {
  await sql('SELECT 1 FROM event_log.partitions WHERE topic_id = $1 ORDER BY topic_id, partition FOR NO KEY UPDATE', [
    topicId,
  ]);
}

/** Removes a segment and its records. A reader that never ends its statement must not hold up the appends for long. */
export async function dropSegment(sql: Sql, segmentId: number): Promise<void> {
  await sql("SET LOCAL lock_timeout = '1s'");
  await sql(`DROP TABLE event_log.segment_${segmentId}`);
  await sql('DELETE FROM event_log.segments WHERE id = $1', [segmentId]);
}

/** Only one process at a time rolls, compacts or drops a topic's segments. False when another does. */
export async function tryMaintain(sql: Sql, topicId: number): Promise<boolean> {
  const [row] = await sql<{ locked: boolean }>(
    "SELECT pg_try_advisory_xact_lock(hashtextextended('tidemark event_log maintain ' || $1::int, 0)) AS locked",
    [topicId],
  );
  return row?.locked ?? false;
}

import type { Database } from './database.ts';
import { attachSegment, createSegment, dropSegment, rollSegment, tryMaintain } from './segments.ts';

/**
 * Keeps, of each key, the newest record of the sealed segments, at its offset: the survivors are copied into a new
 * segment, which takes the old ones' place in one step. A tombstone goes when it is older than the topic's retention,
 * so that a reader that is not further behind than that still hears of every removal.
 * @returns false when another process is at it.
 */
export async function compactTopic(database: Database, topicId: number): Promise<boolean> {
  const rolled = await database.transaction(async (sql) => {
    if (!(await tryMaintain(sql, topicId))) return false;
    await rollSegment(sql, topicId);
    return true;
  });
  if (!rolled) return false;
  return await database.transaction(async (sql) => {
    if (!(await tryMaintain(sql, topicId))) return false;
    const old = await sql<{ id: number }>(
      'SELECT id FROM event_log.segments WHERE topic_id = $1 AND sealed_at IS NOT NULL ORDER BY id',
      [topicId],
    );
    const ids = old.map((segment) => segment.id);
    const copy = await createSegment(sql, topicId, 'copy');
    await sql(
      `INSERT INTO event_log.segment_${copy}
         (segment_id, partition, "offset", timestamp_ms, appended_ms, bytes, key, value, headers)
       SELECT $2, n.partition, n."offset", n.timestamp_ms, n.appended_ms, n.bytes, n.key, n.value, n.headers
       FROM (
         SELECT DISTINCT ON (t.partition, t.key) t.* FROM event_log.topic_${topicId} t
         JOIN event_log.partitions p ON p.topic_id = $3 AND p.partition = t.partition AND t."offset" >= p.log_start
         WHERE t.segment_id = ANY($1::int[])
         ORDER BY t.partition, t.key, t."offset" DESC
       ) n
       WHERE n.value IS NOT NULL OR n.appended_ms > extract(epoch FROM clock_timestamp()) * 1000
         - (SELECT t.retention_ms FROM event_log.topics t WHERE t.id = $3)
       ORDER BY n.partition, n."offset"`,
      [ids, copy, topicId],
    );
    await sql('UPDATE event_log.segments SET sealed_at = clock_timestamp() WHERE id = $1', [copy]);
    // From here on readers and appends wait, for a moment.
    await sql("SET LOCAL lock_timeout = '1s'");
    for (const id of ids) await dropSegment(sql, id);
    await attachSegment(sql, topicId, copy);
    return true;
  });
}

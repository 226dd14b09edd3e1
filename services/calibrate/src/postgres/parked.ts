import type { Sql } from '@tidemark/stage-runtime';

/** A graded group that this release can't read in full. */
export interface ParkedGroup {
  readonly eventId: string;
  readonly partition: number;
  readonly offset: bigint;
  readonly target: string;
  /** The serialised event, unknown fields and values included. */
  readonly message: Uint8Array;
  readonly reason: string;
}

export async function park(tx: Sql, groups: readonly ParkedGroup[]): Promise<void> {
  for (const group of groups)
    await tx.query(
      `INSERT INTO parked_group (event_id, topic_partition, log_offset, target, message, reason)
       VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (event_id) DO NOTHING`,
      [group.eventId, group.partition, group.offset.toString(), group.target, Buffer.from(group.message), group.reason],
    );
}

/** Takes parked groups up, locked for this transaction; another replica skips them. */
export async function takeParked(
  tx: Sql,
  after: string,
  limit: number,
): Promise<{ eventId: string; message: Uint8Array }[]> {
  const rows = await tx.query<{ event_id: string; message: Buffer }>(
    `SELECT event_id, message FROM parked_group WHERE event_id > $1 ORDER BY event_id LIMIT $2 FOR UPDATE SKIP LOCKED`,
    [after, limit],
  );
  return rows.map((row) => ({ eventId: row.event_id, message: row.message }));
}

export async function unpark(tx: Sql, eventIds: readonly string[]): Promise<void> {
  await tx.query('DELETE FROM parked_group WHERE event_id = ANY($1::text[])', [eventIds]);
}

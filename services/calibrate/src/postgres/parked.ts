import { topics } from '@tidemark/event-log';
import { decodeOrigin, encodeOriginBesideValue, type Origin, type Sql } from '@tidemark/stage-runtime';

/** A graded group that this release can't read in full. */
export interface ParkedGroup {
  /** The record that it came in; its value is kept whole, with fields and values that are not known here. */
  readonly origin: Origin;
  readonly target: string;
  readonly reason: string;
}

export async function park(tx: Sql, groups: readonly ParkedGroup[]): Promise<void> {
  for (const { origin, target, reason } of groups)
    await tx.query(
      `INSERT INTO parked_group (event_id, topic_partition, log_offset, target, message, reason, origin)
       VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (event_id) DO NOTHING`,
      [
        origin.id,
        origin.record.partition,
        origin.record.offset.toString(),
        target,
        Buffer.from(origin.record.value ?? []),
        reason,
        encodeOriginBesideValue(origin),
      ],
    );
}

interface Row {
  readonly event_id: string;
  readonly message: Buffer;
  readonly origin: Buffer | null;
  readonly topic_partition: number;
  readonly log_offset: bigint;
}

/** Takes parked groups up, locked for this transaction; another replica skips them. */
export async function takeParked(tx: Sql, after: string, limit: number): Promise<Origin[]> {
  const rows = await tx.query<Row>(
    `SELECT event_id, message, origin, topic_partition, log_offset FROM parked_group
     WHERE event_id > $1 ORDER BY event_id LIMIT $2 FOR UPDATE SKIP LOCKED`,
    [after, limit],
  );
  return rows.map((row) => (row.origin === null ? placeOf(row) : decodeOrigin(row.origin, row.message)));
}

export async function unpark(tx: Sql, groups: readonly Pick<Origin, 'id'>[]): Promise<void> {
  await tx.query('DELETE FROM parked_group WHERE event_id = ANY($1::text[])', [groups.map(({ id }) => id)]);
}

/** Of a group that a replica of the release before parked: neither its key nor its headers are known. */
function placeOf({ event_id, message, topic_partition, log_offset }: Row): Origin {
  const place = { topic: topics.rolloutsGraded.name, partition: topic_partition, offset: BigInt(log_offset) };
  const record = { ...place, timestampMs: 0, key: null, value: message, headers: {} };
  return { id: event_id, traceparent: undefined, record, revision: undefined, replays: 0 };
}

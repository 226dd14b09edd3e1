import type { OutgoingRecord } from '@tidemark/event-log';
import type { Sql } from '../api.ts';
import { decodeHeaders } from '../outbox/headers-codec.ts';

/** Rows of one transaction of the log at most. */
export const MAX_ROWS = 5_000;
/** Bytes of one transaction at most, unless a single row has more. */
const MAX_BYTES = 4 * 1024 * 1024;

export interface OutboxRecord extends OutgoingRecord {
  readonly id: bigint;
}

/** The oldest rows of a shard in id order, as many as one transaction takes. What the log refused is left out. */
export async function readOutbox(sql: Sql, shard: number, maxRows: number): Promise<OutboxRecord[]> {
  const rows = await sql.query<{
    id: bigint;
    topic: string;
    key: Buffer | null;
    value: Buffer | null;
    headers: Buffer;
  }>(
    `SELECT id, topic, key, value, headers FROM (
       SELECT *, sum(coalesce(octet_length(value), 0) + octet_length(headers)) OVER (ORDER BY id) AS bytes,
         row_number() OVER (ORDER BY id) AS place
       FROM (SELECT * FROM outbox WHERE shard = $1 AND refused IS NULL ORDER BY id LIMIT $2) AS oldest) AS counted
     WHERE bytes <= $3 OR place = 1 ORDER BY id`,
    [shard, maxRows, MAX_BYTES],
  );
  return rows.map(({ id, topic, key, value, headers }) => ({ id, topic, key, value, headers: decodeHeaders(headers) }));
}

/** Deletes what is known to be in the log, by id: an uncommitted lower row may still come to light. */
export async function deleteOutbox(sql: Sql, shard: number, ids: readonly bigint[]): Promise<void> {
  await sql.query('DELETE FROM outbox WHERE shard = $1 AND id = ANY ($2::bigint[])', [shard, ids]);
}

/** Leaves a row where it is, to be laid aside: the relay takes it no more. */
export async function refuseOutbox(sql: Sql, shard: number, id: bigint, reason: string): Promise<void> {
  await sql.query('UPDATE outbox SET refused = $3 WHERE shard = $1 AND id = $2', [shard, id, reason]);
}

export interface RefusedRecord extends OutboxRecord {
  /** Why the log refused it. */
  readonly reason: string;
}

/** Rows of a shard that the log refused, oldest first. */
export async function readRefused(sql: Sql, shard: number, maxRows: number): Promise<RefusedRecord[]> {
  const rows = await sql.query<{
    id: bigint;
    topic: string;
    key: Buffer | null;
    value: Buffer | null;
    headers: Buffer;
    reason: string;
  }>(
    `SELECT id, topic, key, value, headers, refused AS reason FROM outbox
     WHERE shard = $1 AND refused IS NOT NULL ORDER BY id LIMIT $2`,
    [shard, maxRows],
  );
  return rows.map(({ headers, ...row }) => ({ ...row, headers: decodeHeaders(headers) }));
}

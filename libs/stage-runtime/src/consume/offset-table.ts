import { groupName, type PartitionId } from '@tidemark/event-log';
import type { Sql, StoredOffsets } from '../api.ts';
import type { StageIdentity } from '../identity.ts';

export interface StoredOffset {
  readonly next: bigint;
  readonly epoch: bigint;
}

/** Reads how far the group is; a partition seen for the first time begins at the start of the log. */
export async function openOffset(
  sql: Sql,
  group: string,
  { topic, incarnation, partition }: PartitionId,
  logStart: bigint,
): Promise<StoredOffset> {
  const id = [group, topic, incarnation, partition];
  await sql.query(
    `INSERT INTO consumed_offsets (consumer_group, topic, incarnation, partition, next)
     VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING`,
    [...id, logStart],
  );
  const [row] = await sql.query<StoredOffset>(
    `SELECT next, epoch FROM consumed_offsets
     WHERE consumer_group = $1 AND topic = $2 AND incarnation = $3 AND partition = $4`,
    id,
  );
  if (row === undefined) throw new Error(`the stored offset of ${topic}/${partition} vanished`);
  return row;
}

/**
 * Moves `next` from what the session expects. The row stays locked until the transaction ends, so two sessions of one
 * partition cannot work side by side.
 *
 * @returns false when it is not there any more: another session has moved it, or someone rewound it
 */
export async function moveOffset(
  sql: Sql,
  group: string,
  { topic, incarnation, partition }: PartitionId,
  expected: StoredOffset,
  next: bigint,
): Promise<boolean> {
  const rows = await sql.query(
    `UPDATE consumed_offsets SET next = $7, updated_at = clock_timestamp()
     WHERE consumer_group = $1 AND topic = $2 AND incarnation = $3 AND partition = $4 AND next = $5 AND epoch = $6
     RETURNING 1`,
    [group, topic, incarnation, partition, expected.next, expected.epoch, next],
  );
  return rows.length > 0;
}

/** The stored offsets of the topic's present life: the one last moved in. */
export async function readStoredOffsets(
  sql: Sql,
  { environment, service }: StageIdentity,
  topic: string,
): Promise<StoredOffsets | undefined> {
  const rows = await sql.query<{ incarnation: string; partition: number; next: bigint }>(
    `SELECT incarnation, partition, next FROM consumed_offsets
     WHERE consumer_group = $1 AND topic = $2 AND incarnation = (
       SELECT incarnation FROM consumed_offsets WHERE consumer_group = $1 AND topic = $2
       ORDER BY updated_at DESC LIMIT 1)
     ORDER BY partition`,
    [groupName(environment, service, topic), topic],
  );
  const [first] = rows;
  if (first === undefined) return undefined;
  return { incarnation: first.incarnation, positions: rows.map(({ partition, next }) => ({ partition, next })) };
}

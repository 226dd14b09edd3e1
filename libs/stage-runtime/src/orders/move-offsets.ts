import { groupName, type LogBounds, type TopicDescription } from '@tidemark/event-log';
import { CommandOutcome, type MoveOffsets } from '@tidemark/proto';
import type { TopicHandler } from '../consume/topic-handler.ts';
import type { OpenTransaction } from '../database/transactions.ts';
import type { StageParts } from '../stage-parts.ts';
import type { OrderEnd } from './answer-order.ts';
import { decideMove, type PartitionMove } from './decide-move.ts';

/** Sets the stored offsets of a topic, ends the sessions of before, and answers what was moved or why not. */
export async function moveOffsets(
  parts: StageParts,
  handlers: readonly TopicHandler[],
  open: OpenTransaction,
  order: MoveOffsets,
): Promise<OrderEnd> {
  const end = await move(parts, handlers, open, order);
  parts.logger.warn({ topic: order.topic, outcome: end.message }, 'offsets were ordered elsewhere');
  return end;
}

async function move(
  parts: StageParts,
  handlers: readonly TopicHandler[],
  open: OpenTransaction,
  order: MoveOffsets,
): Promise<OrderEnd> {
  const { environment, service } = parts.identity;
  const refused = (message: string): OrderEnd => ({ outcome: CommandOutcome.REFUSED, message });
  if (!handlers.some(({ topic }) => topic.name === order.topic)) {
    return refused(`${service} does not read ${order.topic}.`);
  }
  const description = await parts.log.admin.describe(order.topic);
  if (description === undefined) return refused(`There is no topic ${order.topic}.`);
  const group = groupName(environment, service, order.topic);
  const moves: PartitionMove[] = [];
  for (const [partition, bounds] of chosen(description, order.partition)) {
    const next = await lockOffset(open, group, description, partition, bounds);
    const decision = decideMove(next, bounds, order);
    if (decision.kind === 'refused') return refused(`Partition ${partition}: ${decision.why}`);
    moves.push({ partition, from: next, ...decision });
  }
  if (moves.length === 0) return refused(`${order.topic} has no partition ${order.partition}.`);
  for (const { partition, to } of moves) {
    await open.query(
      `UPDATE consumed_offsets SET next = $5, epoch = epoch + 1, updated_at = clock_timestamp()
       WHERE consumer_group = $1 AND topic = $2 AND incarnation = $3 AND partition = $4`,
      [group, order.topic, description.incarnation, partition, to],
    );
  }
  const sum = (count: (move: PartitionMove) => bigint) => moves.reduce((total, each) => total + count(each), 0n);
  return {
    outcome: CommandOutcome.DONE,
    message:
      `${service} goes on in ${moves.length} partition(s) of ${order.topic}; ` +
      `${sum(({ lost }) => lost)} offsets were gone before they were read, ` +
      `${sum(({ passedOver }) => passedOver)} unread ones are passed over.`,
    results: Object.fromEntries(moves.map(({ partition, from, to }) => [`partition ${partition}`, `${from} -> ${to}`])),
  };
}

function chosen(description: TopicDescription, partition: number | undefined): [number, LogBounds][] {
  const all = [...description.partitions.entries()];
  return partition === undefined ? all : all.filter(([number]) => number === partition);
}

async function lockOffset(
  open: OpenTransaction,
  group: string,
  { name, incarnation }: TopicDescription,
  partition: number,
  bounds: LogBounds,
): Promise<bigint> {
  const id = [group, name, incarnation, partition];
  await open.query(
    `INSERT INTO consumed_offsets (consumer_group, topic, incarnation, partition, next)
     VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING`,
    [...id, bounds.logStart],
  );
  const [row] = await open.query<{ next: bigint }>(
    `SELECT next FROM consumed_offsets
     WHERE consumer_group = $1 AND topic = $2 AND incarnation = $3 AND partition = $4 FOR UPDATE`,
    id,
  );
  return row?.next ?? bounds.logStart;
}

import { type LogRecord, ordersTopic } from '@tidemark/event-log';
import { CommandOutcome, type ServiceOrder } from '@tidemark/proto';
import type { BatchWork } from '../consume/batch-work.ts';
import { decodeRecord } from '../consume/incoming.ts';
import type { TopicHandler } from '../consume/topic-handler.ts';
import { takeUnseen } from '../consume/unseen.ts';
import { addJobs } from '../jobs/job-table.ts';
import { isUpkeep, upkeepJobs } from '../upkeep/upkeep-worker.ts';
import type { OpenTransaction } from '../database/transactions.ts';
import { classifyFault } from '../faults.ts';
import { errorFields } from '../observe/logger.ts';
import type { StageParts } from '../stage-parts.ts';
import { answerOrder } from './answer-order.ts';
import { moveOffsets } from './move-offsets.ts';
import { layBack, replayLetter } from './replay-letter.ts';

/** Orders of one transaction: each replays a record by itself, and may take as long as one. */
const MAX_ORDERS = 50;

interface NewOrder {
  readonly id: string;
  readonly order: ServiceOrder;
}

/**
 * Does what the gateway orders of the runtime of this service, one order after the other, each behind a savepoint: one
 * that can't be carried out is answered with the reason and holds up none behind it. Orders don't wait for room among
 * the jobs either: people gave them, and what they replay goes over the bound by no more than they asked for.
 */
export function ordersWork(parts: StageParts, handlers: readonly TopicHandler[]): BatchWork {
  const { service } = parts.identity;
  const topic = ordersTopic(service);
  return {
    topic: topic.name,
    name: `${service}/${topic.name}`,
    options: { maxBatchRecords: MAX_ORDERS },
    async handle(open, { partition, records }) {
      for (const order of await newOrders(parts, open, partition.incarnation, records)) {
        await carryOut(parts, handlers, open, order);
      }
    },
  };
}

async function carryOut(
  parts: StageParts,
  handlers: readonly TopicHandler[],
  open: OpenTransaction,
  given: NewOrder,
): Promise<void> {
  const { id, order } = given;
  try {
    await open.inSavepoint(() => attempt(parts, handlers, open, given));
  } catch (error) {
    const fault = classifyFault(error);
    if (fault.kind === 'dependency') throw error;
    parts.logger.error({ order: order.commandId || id, ...errorFields(error) }, 'an order failed');
    // The letter goes on being one, with the reason; it was one all the time.
    if (order.order.case === 'replay') await layBack(parts, open, order.order.value, fault);
    await answerOrder(parts, open, id, order, { outcome: CommandOutcome.FAILED, message: fault.message });
  }
}

async function attempt(
  parts: StageParts,
  handlers: readonly TopicHandler[],
  open: OpenTransaction,
  { id, order }: NewOrder,
): Promise<void> {
  const { order: what } = order;
  if (what.case === 'moveOffsets') {
    await answerOrder(parts, open, id, order, await moveOffsets(parts, handlers, open, what.value));
  } else if (what.case === 'replay') {
    await replayLetter(parts, handlers, open, what.value);
  } else if (isUpkeep(order)) {
    // What takes long must not hold the offset's transaction open.
    await addJobs(open, upkeepJobs, [{ key: id, payload: order, cause: { id, traceparent: undefined } }]);
    open.afterCommit(() => parts.wakes.worker(upkeepJobs.name));
  } else {
    const message = `${parts.identity.service} knows no such order: it is of an older release than who gave it.`;
    await answerOrder(parts, open, id, order, { outcome: CommandOutcome.REFUSED, message });
  }
}

async function newOrders(
  parts: StageParts,
  open: OpenTransaction,
  incarnation: string,
  records: readonly LogRecord[],
): Promise<readonly NewOrder[]> {
  const topic = ordersTopic(parts.identity.service);
  const incoming = records.map((record) => decodeRecord(topic, incarnation, record));
  for (const each of incoming) {
    // A letter that was to be replayed still lies where it was: nothing is lost with an order.
    if (each.kind === 'undecodable')
      parts.logger.error({ order: each.id, reason: each.reason }, 'an order is no order');
  }
  const readable = incoming.filter(({ kind }) => kind === 'event');
  const unseen = await takeUnseen(open, topic, readable);
  return unseen.flatMap((each) =>
    each.kind === 'event' ? [{ id: each.id, order: each.event.value as ServiceOrder }] : [],
  );
}

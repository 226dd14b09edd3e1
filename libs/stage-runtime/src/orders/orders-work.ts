import { type LogRecord, ordersTopic } from '@tidemark/event-log';
import type { ServiceOrder } from '@tidemark/proto';
import type { BatchWork } from '../consume/batch-work.ts';
import { decodeRecord } from '../consume/incoming.ts';
import type { TopicHandler } from '../consume/topic-handler.ts';
import { takeUnseen } from '../consume/unseen.ts';
import { addJobs } from '../jobs/job-table.ts';
import { isUpkeep, upkeepJobs } from '../upkeep/upkeep-worker.ts';
import type { OpenTransaction } from '../database/transactions.ts';
import type { StageParts } from '../stage-parts.ts';
import { moveOffsets } from './move-offsets.ts';
import { replayLetters } from './replay-letters.ts';

/** Does what the gateway orders of the runtime of this service. */
export function ordersWork(parts: StageParts, handlers: readonly TopicHandler[]): BatchWork {
  const { service } = parts.identity;
  const topic = ordersTopic(service);
  return {
    topic: topic.name,
    name: `${service}/${topic.name}`,
    // What is replayed may become a job of any kind that the handlers feed.
    options: { feeds: handlers.flatMap(({ options }) => options.feeds ?? []) },
    async handle(open, { partition, records }) {
      const orders = await newOrders(parts, open, partition.incarnation, records);
      for (const { id, order } of orders) {
        if (order.order.case === 'moveOffsets') await moveOffsets(parts, handlers, open, id, order, order.order.value);
      }
      // What takes long must not hold the offset's transaction open.
      const jobs = orders.filter(({ order }) => isUpkeep(order));
      await addJobs(
        open,
        upkeepJobs,
        jobs.map(({ id, order }) => ({ key: id, payload: order, cause: { id, traceparent: undefined } })),
      );
      if (jobs.length > 0) open.afterCommit(() => parts.wakes.worker(upkeepJobs.name));
      const letters = orders.flatMap(({ order: { order } }) => (order.case === 'replay' ? [order.value] : []));
      await replayLetters(parts, handlers, open, letters);
    },
  };
}

async function newOrders(
  parts: StageParts,
  open: OpenTransaction,
  incarnation: string,
  records: readonly LogRecord[],
): Promise<{ readonly id: string; readonly order: ServiceOrder }[]> {
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

import type { FetchedBatch } from '@tidemark/event-log';
import type { OpenTransaction } from '../database/transactions.ts';
import type { OnEventOptions } from '../on-event.ts';
import type { StageParts } from '../stage-parts.ts';
import { handleRecords } from './handle-records.ts';
import type { TopicHandler } from './topic-handler.ts';

/** What is done with the batches of one consumed topic. */
export interface BatchWork {
  readonly topic: string;
  /** Stands in logs and names the transaction. */
  readonly name: string;
  readonly options: OnEventOptions;
  /** Does the work of a batch in the transaction that moves the offset. */
  handle(open: OpenTransaction, batch: FetchedBatch): Promise<void>;
}

/** The work of a service's own handler. */
export const handlerWork = (parts: StageParts, handler: TopicHandler): BatchWork => ({
  topic: handler.topic.name,
  name: handler.name,
  options: handler.options,
  handle: (open, { partition, records }) =>
    handleRecords(
      parts,
      handler,
      open,
      partition.incarnation,
      records.map((record) => ({ record })),
    ),
});

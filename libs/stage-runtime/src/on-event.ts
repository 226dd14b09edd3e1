import type { DescMessage, MessageShape } from '@bufbuild/protobuf';
import { Ctx, EventPattern, Payload } from '@nestjs/microservices';
import type { TopicDefinition } from '@tidemark/event-log';
import type { AnyTopic, EventBatch, JobKind, StageTransaction } from './api.ts';
import { HandlerOutcome } from './transport/handler-outcome.ts';

/** Binds handlers to the event log's transport, so that another Nest transport in the same app leaves them alone. */
export const EVENT_LOG_TRANSPORT = Symbol('event log');

/** Narrows what a handler is given; every field has a default. */
export interface OnEventOptions {
  /** Job kinds that the handler adds to: consumption pauses while one of them is full. Default none. */
  readonly feeds?: readonly Pick<JobKind<unknown>, 'name'>[];
  /** Upper bound of the records in a batch. Default 500. */
  readonly maxBatchRecords?: number;
}

/** What {@link OnEvent} leaves with a handler for the transport to find. */
export interface OnEventExtras {
  readonly topic: AnyTopic;
  readonly options: OnEventOptions;
}

/** The shape of a handler's method. */
export type EventHandler<T> = (batch: EventBatch<T>, tx: StageTransaction) => Promise<void>;

/**
 * Makes a method of a Nest controller the handler of a topic. It is called with a batch of one partition inside the
 * transaction that also stores the offset. A service has one handler a topic.
 *
 * Throwing a {@link RecordFault} dead-letters one record, a {@link DependencyFault} pauses the partition; anything else
 * is taken for a record's fault, and the batch is bisected until the record stands alone.
 */
export function OnEvent<D extends DescMessage>(topic: TopicDefinition<D>, options: OnEventOptions = {}) {
  return (
    target: object,
    method: string | symbol,
    descriptor: TypedPropertyDescriptor<EventHandler<MessageShape<D>>>,
  ): void => {
    const handle = descriptor.value;
    if (handle === undefined) throw new TypeError('@OnEvent stands on a method');
    // Nest flattens what a handler throws to "Internal server error": the outcome is noted before Nest sees it.
    descriptor.value = async function (this: unknown, batch: EventBatch<MessageShape<D>>, tx: StageTransaction) {
      await HandlerOutcome.of(tx).note(() => handle.call(this, batch, tx));
    };
    Payload()(target, method, 0);
    Ctx()(target, method, 1);
    const extras: OnEventExtras = { topic, options };
    EventPattern(topic.name, EVENT_LOG_TRANSPORT, { ...extras })(target, method, descriptor as PropertyDescriptor);
  };
}

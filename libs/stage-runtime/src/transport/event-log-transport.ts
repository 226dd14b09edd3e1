import { type CustomTransportStrategy, type MessageHandler, Server } from '@nestjs/microservices';
import { groupName, type LogConsumer, ordersTopic, type PartitionId } from '@tidemark/event-log';
import { isObservable, lastValueFrom } from 'rxjs';
import { type BatchWork, handlerWork } from '../consume/batch-work.ts';
import { followEpochs } from '../consume/follow-epochs.ts';
import { StageSessions } from '../consume/stage-sessions.ts';
import { handlerName, type TopicHandler } from '../consume/topic-handler.ts';
import { untilBack } from '../until-back.ts';
import { EVENT_LOG_TRANSPORT, type OnEventExtras } from '../on-event.ts';
import { ordersWork } from '../orders/orders-work.ts';
import type { StageParts } from '../stage-parts.ts';
import { HandlerOutcome } from './handler-outcome.ts';

/** Nest's way to the event log: every `@OnEvent` handler consumes its topic as a group of its own. */
export class EventLogTransport extends Server implements CustomTransportStrategy {
  private consumers: LogConsumer[] = [];

  constructor(
    private readonly parts: StageParts,
    private readonly sessionTimeoutMs: number | undefined,
    /** Called with the handlers before any of them consumes. */
    private readonly prepare: (handlers: readonly TopicHandler[]) => Promise<void>,
  ) {
    super();
    this.transportId = EVENT_LOG_TRANSPORT;
  }

  /** Topics that are consumed. */
  consumed(): readonly string[] {
    const own = this.handlers().map(({ topic }) => topic.name);
    return own.length === 0 ? [] : [...own, ordersTopic(this.parts.identity.service).name];
  }

  /** The handlers that Nest found, one a topic. */
  handlers(): readonly TopicHandler[] {
    return [...this.messageHandlers].map(([pattern, handler]) => {
      if (handler.next !== undefined) throw new Error(`two handlers of ${pattern} in ${this.parts.identity.service}`);
      const { topic, options } = handler.extras as OnEventExtras & Record<string, unknown>;
      for (const { name } of options.feeds ?? []) this.parts.bounds.of(name);
      const name = handlerName(this.parts.identity, topic);
      return { name, topic, options, handle: (batch, tx) => callHandler(handler, batch, tx) };
    });
  }

  /** Partitions held now. */
  assignment(): readonly PartitionId[] {
    return this.consumers.flatMap((consumer) => consumer.assignment());
  }

  listen(callback: (error?: unknown) => void): void {
    this.consumeAll().then(() => callback(), callback);
  }

  /** Finishes the batches in hand and leaves the groups. */
  async close(): Promise<void> {
    const consumers = this.consumers;
    this.consumers = [];
    await Promise.all(consumers.map((consumer) => consumer.stop()));
  }

  // The port has no events of its own to listen to: faults go to readiness.
  on(): void {}

  unwrap<T>(): T {
    return this.parts.log as T;
  }

  private async consumeAll(): Promise<void> {
    const handlers = this.handlers();
    await untilBack(this.parts, 'log', () => this.prepare(handlers));
    const works = handlers.map((handler) => handlerWork(this.parts, handler));
    if (works.length > 0) works.push(ordersWork(this.parts, handlers));
    await Promise.all(works.map(async (work) => this.consumers.push(await this.consume(work))));
  }

  private async consume(work: BatchWork): Promise<LogConsumer> {
    const { identity, log } = this.parts;
    const group = groupName(identity.environment, identity.service, work.topic);
    const { maxBatchRecords } = work.options;
    const sessions = new StageSessions(this.parts, work, group);
    const consumer = await log.consume({
      group,
      topic: work.topic,
      sessions,
      ...(maxBatchRecords === undefined ? {} : { maxBatchRecords }),
      ...(this.sessionTimeoutMs === undefined ? {} : { sessionTimeoutMs: this.sessionTimeoutMs }),
    });
    void followEpochs(this.parts, group, sessions, consumer);
    return consumer;
  }
}

async function callHandler(handler: MessageHandler, batch: unknown, tx: object): Promise<void> {
  const result: unknown = await handler(batch, tx);
  if (isObservable(result)) await lastValueFrom(result, { defaultValue: undefined });
  HandlerOutcome.of(tx).settle();
}

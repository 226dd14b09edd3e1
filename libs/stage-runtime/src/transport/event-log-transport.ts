import { type CustomTransportStrategy, type MessageHandler, Server } from '@nestjs/microservices';
import { groupName, type LogConsumer, type PartitionId } from '@tidemark/event-log';
import { isObservable, lastValueFrom } from 'rxjs';
import { StageSessions } from '../consume/stage-sessions.ts';
import type { TopicHandler } from '../consume/topic-handler.ts';
import { EVENT_LOG_TRANSPORT, type OnEventExtras } from '../on-event.ts';
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

  /** The handlers that Nest found, one a topic. */
  handlers(): readonly TopicHandler[] {
    return [...this.messageHandlers].map(([pattern, handler]) => {
      if (handler.next !== undefined) throw new Error(`two handlers of ${pattern} in ${this.parts.identity.service}`);
      const { topic, options } = handler.extras as OnEventExtras & Record<string, unknown>;
      for (const { name } of options.feeds ?? []) this.parts.bounds.of(name);
      const name = `${this.parts.identity.service}/${topic.name}`;
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
    const { identity, log } = this.parts;
    const handlers = this.handlers();
    await this.prepare(handlers);
    this.consumers = await Promise.all(
      handlers.map((handler) => {
        const group = groupName(identity.environment, identity.service, handler.topic.name);
        return log.consume({
          group,
          topic: handler.topic.name,
          sessions: new StageSessions(this.parts, handler, group),
          ...(handler.options.maxBatchRecords === undefined
            ? {}
            : { maxBatchRecords: handler.options.maxBatchRecords }),
          ...(this.sessionTimeoutMs === undefined ? {} : { sessionTimeoutMs: this.sessionTimeoutMs }),
        });
      }),
    );
  }
}

async function callHandler(handler: MessageHandler, batch: unknown, tx: object): Promise<void> {
  const result: unknown = await handler(batch, tx);
  if (isObservable(result)) await lastValueFrom(result, { defaultValue: undefined });
  HandlerOutcome.of(tx).settle();
}

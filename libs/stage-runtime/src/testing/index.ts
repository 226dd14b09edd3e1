/** Starts a service definition on the embedded log and a real PostgreSQL, so that specs of services are short. */
import type { DescMessage, MessageShape } from '@bufbuild/protobuf';
import type { Headers, TopicDefinition } from '@tidemark/event-log';
import type { z } from 'zod';
import type { Activity } from '../activity.ts';
import type { ServiceDefinition } from '../define-service.ts';
import type { RunningService } from '../run-service.ts';

export interface StageHarnessOptions {
  /** Fields of the service's configuration that differ from their defaults, as text. */
  readonly config?: Readonly<Record<string, string>>;
  /** Serve HTTP on a free loopback port. Default false. */
  readonly http?: boolean;
}

/** A record of a topic, decoded. `value` is undefined for a tombstone. */
export interface PublishedRecord<T> {
  readonly key: string;
  readonly value: T | undefined;
  readonly id: string;
  readonly headers: Headers;
}

export interface StageHarness {
  readonly service: RunningService;
  /** SQL in the service's schema. */
  query<Row = Record<string, unknown>>(sql: string, parameters?: readonly unknown[]): Promise<Row[]>;
  /** Writes an event as its own writer would; revisions rise by themselves where the message has revision 0. */
  publish<D extends DescMessage>(topic: TopicDefinition<D>, ...messages: MessageShape<D>[]): Promise<void>;
  publishTombstone(topic: TopicDefinition, key: string): Promise<void>;
  /** Everything on the topic, in offset order within partitions. */
  published<D extends DescMessage>(topic: TopicDefinition<D>): Promise<PublishedRecord<MessageShape<D>>[]>;
  /** Waits for zero lag, an empty outbox, no open jobs and no reported work. Fails with what is left after the time. */
  untilQuiet(timeoutMs?: number): Promise<Activity>;
  /** Ends it like a crash: connections cut, nothing released. */
  kill(): Promise<void>;
  /** Starts it again on the same log and database. */
  restart(): Promise<void>;
  /** Stops it and drops its database. */
  stop(): Promise<void>;
}

export function startStage<Schema extends z.ZodObject>(
  _definition: ServiceDefinition<Schema>,
  _options: StageHarnessOptions = {},
): Promise<StageHarness> {
  throw new Error('not built yet');
}

/** Starts a service definition on the embedded log and a real PostgreSQL, so that specs of services are short. */
import type { DescMessage, MessageShape } from '@bufbuild/protobuf';
import type { EventLog, Headers, TopicDefinition } from '@tidemark/event-log';
import type { z } from 'zod';
import type { Activity } from '../activity.ts';
import type { AnyTopic } from '../api.ts';
import type { ServiceDefinition } from '../define-service.ts';
import type { Moment } from '../moments.ts';
import type { RunningService } from '../running-service.ts';
import { ProcessHarness } from './harness.ts';

export { Scrape } from './scrape.ts';

export interface StageHarnessOptions {
  /** Fields of the service's configuration that differ from their defaults, as text. */
  readonly config?: Readonly<Record<string, string>>;
  /** Serve HTTP on a free loopback port. Default false. */
  readonly http?: boolean;
  /** Token that HTTP asks for. Default none. */
  readonly accessToken?: string;
  /** Another log than a fresh embedded one; the caller closes it. */
  readonly log?: EventLog;
  /** Starts it as after a restore of its database. Default false. */
  readonly restored?: boolean;
  /** Default `test`; on a log that several specs share, each has its own. */
  readonly environment?: string;
  /** Partitions of each topic. Default 2. */
  readonly partitions?: number;
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
  readonly log: EventLog;
  /** SQL in the service's schema. Types as `pg` gives them: `bigint` as text. */
  query<Row = Record<string, unknown>>(sql: string, parameters?: readonly unknown[]): Promise<Row[]>;
  /** Writes events as their own writer would; revisions rise by themselves where the message has revision 0. */
  publish<D extends DescMessage>(topic: TopicDefinition<D>, ...messages: MessageShape<D>[]): Promise<void>;
  publishTombstone(topic: AnyTopic, key: string): Promise<void>;
  /** Writes what is perhaps no message at all. */
  publishBytes(topic: AnyTopic, key: string, value: Uint8Array): Promise<void>;
  /** Everything on the topic, in offset order within partitions. */
  published<D extends DescMessage>(topic: TopicDefinition<D>): Promise<PublishedRecord<MessageShape<D>>[]>;
  /** Waits for zero lag, an empty outbox, no open jobs and no reported work. Fails with what is left after the time. */
  untilQuiet(timeoutMs?: number): Promise<Activity>;
  /** Starts a second replica beside the first; stopped with the harness. */
  startReplica(port?: number): Promise<RunningService>;
  /** Ends it like a crash: connections cut, nothing released. */
  kill(): Promise<void>;
  /** Makes it crash at a moment, the `times`-th time that it comes. Resolves once it is dead; then {@link restart}. */
  crashAt(moment: Moment, times?: number): Promise<void>;
  /** Starts it again on the same log and database. */
  restart(): Promise<void>;
  /** Stops it and drops its database. */
  stop(): Promise<void>;
}

/** Starts a service. Set `TIDEMARK_TEST_LOG_LEVEL=debug` to see what it logs. */
export function startStage<Schema extends z.ZodObject>(
  definition: ServiceDefinition<Schema>,
  options: StageHarnessOptions = {},
): Promise<StageHarness> {
  return ProcessHarness.start(definition, options);
}

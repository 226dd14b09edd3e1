import type { DescMessage, MessageShape } from '@bufbuild/protobuf';

/** Every service of the system, as it stands in topic lists, group names and event sources. */
export const serviceNames = [
  'ingest',
  'normalize',
  'dedup',
  'score',
  'execute',
  'calibrate',
  'select',
  'sample',
  'gateway',
] as const;
export type ServiceName = (typeof serviceNames)[number];

/** What is written down about one topic: enough to create, document, draw and check it. */
export interface TopicDefinition<D extends DescMessage = DescMessage> {
  /** `<subject>.<state>.v<N>`; a breaking change of the schema is a new `v<N>`. */
  readonly name: string;
  readonly schema: D;
  /** The record key of a message, as text. Absent where outside clients write and any key is taken. */
  key?(message: MessageShape<D>): string;
  readonly cleanup: 'compact' | 'delete';
  /**
   * Messages of one key replace each other: they carry `revision`, which the runtime raises when a service publishes,
   * and by which it drops what a consumer already knows. Every compacted topic is revisioned.
   */
  readonly revisioned: boolean;
  /** The log stamps the time itself: on topics that outside clients write. */
  readonly logAppendTime: boolean;
  readonly writtenBy: readonly ServiceName[];
  readonly readBy: readonly ServiceName[];
  /** One sentence: what an event of this topic states. */
  readonly says: string;
}

type TopicOptions<D extends DescMessage> = Pick<TopicDefinition<D>, 'schema' | 'writtenBy' | 'readBy' | 'says'> & {
  key?(message: MessageShape<D>): string;
  readonly cleanup: 'compact' | 'delete';
  readonly logAppendTime?: boolean;
};

/** Defines a topic; `revisioned` follows from compaction. */
export function topic<D extends DescMessage>(name: string, options: TopicOptions<D>): TopicDefinition<D> {
  if (!/^[a-z]+(\.[a-z0-9-]+)+\.v[1-9]\d*$/.test(name)) throw new Error(`not a topic name: ${name}`);
  return {
    name,
    schema: options.schema,
    ...(options.key && { key: options.key }),
    cleanup: options.cleanup,
    revisioned: options.cleanup === 'compact',
    logAppendTime: options.logAppendTime ?? false,
    writtenBy: options.writtenBy,
    readBy: options.readBy,
    says: options.says,
  };
}

/** Where a service lays a record that it can't take: original bytes and headers, the error, the attempts. */
export const deadLetterTopic = (topicName: string, service: ServiceName): string => `${topicName}.${service}.dlq.v1`;

/** Consumer group of a service on one topic; one group a topic, so that a rolling deploy never mixes subscriptions. */
export const groupName = (environment: string, service: ServiceName, topicName: string): string =>
  `tidemark.${environment}.${service}.${topicName}`;

/** Name of a relay's writer: Kafka's transactional id. */
export const writerName = (environment: string, service: ServiceName, shard: number): string =>
  `tidemark.${environment}.${service}.${shard}`;

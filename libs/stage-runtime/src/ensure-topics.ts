import { DeadLetterSchema } from '@tidemark/proto';
import {
  deadLetterTopic,
  type EventLog,
  ordersTopic,
  type ServiceName,
  type TopicSpec,
  topic,
} from '@tidemark/event-log';
import type { AnyTopic } from './api.ts';

/** How long dead letters and tombstones stay, and all records on topics that expire: a week, in ms. */
export const RETENTION_MS = 7 * 24 * 3600 * 1000;

/** How a topic is created. */
export const topicSpec = (topic: AnyTopic, partitions: number): TopicSpec => ({
  name: topic.name,
  partitions,
  cleanup: topic.cleanup,
  retentionMs: RETENTION_MS,
  logAppendTime: topic.logAppendTime,
});

/** Definition of the topic that takes a service's dead letters of another one; any key is taken over as it is. */
export const deadLetters = (topicName: string, service: ServiceName) =>
  topic(deadLetterTopic(topicName, service), {
    schema: DeadLetterSchema,
    cleanup: 'delete',
    writtenBy: [service],
    readBy: ['gateway'],
    says: `records of ${topicName} that ${service} could not take`,
  });

/** How the topic of a service's orders is created. */
export const ordersSpec = (service: ServiceName): TopicSpec => topicSpec(ordersTopic(service), 1);

/** Creates what is missing of a service's topics, the dead letters of those it consumes, and that of its orders. */
export async function ensureTopics(
  log: EventLog,
  service: ServiceName,
  topics: readonly AnyTopic[],
  consumed: readonly AnyTopic[],
  partitions: number,
): Promise<void> {
  const wanted = new Map([...topics, ...consumed].map((each) => [each.name, topicSpec(each, partitions)]));
  for (const { name } of consumed) {
    const letters = deadLetters(name, service);
    wanted.set(letters.name, topicSpec(letters, 1));
  }
  if (consumed.length > 0) wanted.set(ordersTopic(service).name, ordersSpec(service));
  await log.admin.ensureTopics([...wanted.values()]);
}

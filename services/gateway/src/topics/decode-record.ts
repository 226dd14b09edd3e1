import { type DescMessage, fromBinary, type Message } from '@bufbuild/protobuf';
import { curatedTopic, ordersTopic, type TopicDefinition, topics } from '@tidemark/event-log';
import { isTargetSlug } from '@tidemark/identity';
import { DeadLetterSchema } from '@tidemark/proto';

const byName: ReadonlyMap<string, TopicDefinition> = new Map(
  Object.values(topics).map((definition) => [definition.name, definition as unknown as TopicDefinition]),
);

/** The schema of a topic by its name; undefined for a name that is none of ours. */
export function schemaOfTopic(name: string): DescMessage | undefined {
  if (/\.dlq\.v1$/.test(name)) return DeadLetterSchema;
  const target = /^curated\.(.+)\.v1$/.exec(name)?.[1];
  if (target !== undefined) return isTargetSlug(target) ? curatedTopic(target).schema : undefined;
  if (/^orders\.[a-z]+\.v1$/.test(name)) return ordersTopic('gateway').schema;
  return byName.get(name)?.schema;
}

/** The message of a record; undefined when the topic is unknown or the bytes are none of its. */
export function decodeRecord(topic: string, value: Uint8Array): Message | undefined {
  const schema = schemaOfTopic(topic);
  if (schema === undefined) return undefined;
  try {
    return fromBinary(schema, value);
  } catch {
    return undefined;
  }
}

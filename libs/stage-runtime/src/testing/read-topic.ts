import { type DescMessage, fromBinary, type MessageShape } from '@bufbuild/protobuf';
import { type EventLog, headerNames, type TopicDefinition } from '@tidemark/event-log';
import type { PublishedRecord } from './index.ts';

/** Everything that stands on a topic, partition by partition. */
export async function readTopic<D extends DescMessage>(
  log: EventLog,
  topic: Pick<TopicDefinition<D>, 'name' | 'schema'>,
): Promise<PublishedRecord<MessageShape<D>>[]> {
  const description = await log.admin.describe(topic.name);
  const records: PublishedRecord<MessageShape<D>>[] = [];
  for (const [partition, { logStart, logEnd }] of (description?.partitions ?? []).entries()) {
    const range = { topic: topic.name, partition, from: logStart, until: logEnd, signal: new AbortController().signal };
    for await (const { key, value, headers } of log.read(range)) {
      records.push({
        key: Buffer.from(key ?? []).toString(),
        value: value === null ? undefined : fromBinary(topic.schema, value),
        id: Buffer.from(headers[headerNames.id] ?? []).toString(),
        headers,
      });
    }
  }
  return records;
}

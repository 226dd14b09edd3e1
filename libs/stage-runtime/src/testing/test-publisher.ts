import { randomUUID } from 'node:crypto';
import type { DescMessage, MessageShape } from '@bufbuild/protobuf';
import {
  type EventLog,
  type FencedWriter,
  headerNames,
  type OutgoingRecord,
  type TopicDefinition,
} from '@tidemark/event-log';
import type { AnyTopic } from '../api.ts';
import { topicSpec } from '../ensure-topics.ts';
import { headersOf, messageEvent } from '../outbox/outgoing-event.ts';
import { revisionOf } from '../outbox/revision-field.ts';

/** Writes to the log as the topic's own writer would. */
export class TestPublisher {
  private readonly revisions = new Map<string, bigint>();
  private writer: Promise<FencedWriter> | undefined;

  constructor(
    private readonly log: EventLog,
    private readonly partitions: number,
  ) {}

  async publish<D extends DescMessage>(topic: TopicDefinition<D>, messages: readonly MessageShape<D>[]): Promise<void> {
    const records = messages.map((message) => {
      const event = messageEvent(this.origin(), topic, message);
      const given = topic.revisioned ? revisionOf(topic.schema, message) : 0n;
      const revision = topic.revisioned ? this.nextRevision(topic.name, String(event.key), given) : undefined;
      return record(topic, event.key, event.serialise(revision), event.headers);
    });
    await this.write(topic, records);
  }

  async publishTombstone(topic: AnyTopic, key: string): Promise<void> {
    const revision = this.nextRevision(topic.name, key, 0n);
    const headers = { ...headersOf(this.origin(), topic), [headerNames.revision]: String(revision) };
    await this.write(topic, [record(topic, Buffer.from(key), null, headers)]);
  }

  async publishBytes(topic: AnyTopic, key: string, value: Uint8Array): Promise<void> {
    await this.write(topic, [record(topic, Buffer.from(key), value, headersOf(this.origin(), topic))]);
  }

  private origin() {
    return { service: 'harness', handler: 'harness', cause: { id: randomUUID(), traceparent: undefined }, ordinal: 0 };
  }

  private nextRevision(topic: string, key: string, given: bigint): bigint {
    const name = `${topic}/${key}`;
    const revision = given > 0n ? given : (this.revisions.get(name) ?? 0n) + 1n;
    this.revisions.set(name, revision);
    return revision;
  }

  private async write(topic: AnyTopic, records: readonly OutgoingRecord[]): Promise<void> {
    // A service's orders have one partition, whatever its topics have.
    const partitions = topic.name.startsWith('orders.') ? 1 : this.partitions;
    await this.log.admin.ensureTopics([topicSpec(topic, partitions)]);
    this.writer ??= this.log.writer(`tidemark.harness.${randomUUID()}`);
    try {
      await (await this.writer).transaction(async () => records);
    } catch (error) {
      this.writer = undefined;
      throw error;
    }
  }
}

function record(
  topic: AnyTopic,
  key: Buffer | null,
  value: Uint8Array | null,
  headers: Readonly<Record<string, string>>,
): OutgoingRecord {
  const bytes = Object.fromEntries(Object.entries(headers).map(([name, text]) => [name, Buffer.from(text)]));
  return { topic: topic.name, key, value, headers: bytes };
}

import { CompressionTypes, type Message, type Producer, type TopicMessages } from 'kafkajs';
import { FencedError, LogUnavailableError, RecordTooLargeError, TopicMismatchError } from '../errors.ts';
import { maxRecordBytes, recordBytes } from '../limits.ts';
import { partitionOf, RoundRobin } from '../partitioner.ts';
import type { FencedWriter, OutgoingRecord } from '../port.ts';
import { asUnavailable, type KafkaClient, kafkaErrorType } from './client.ts';

/** What a writer must know of a topic. */
export interface WritableTopic {
  readonly partitions: number;
  readonly cleanup: 'compact' | 'delete';
}

/** Bytes for one partition in one send: a batch over the topic's `max.message.bytes` (1 MiB) would be refused whole. */
const maxPartitionSendBytes = 512 * 1024;
/** Bytes of one send over all partitions: it is one request, held in memory on both sides. */
const maxSendBytes = 8 << 20;

/**
 * A transactional producer. A fenced, expired or unknown outcome leaves kafkajs's producer in a state it can't leave,
 * so the first failure of a call to Kafka is the writer's last.
 */
export class KafkaWriter implements FencedWriter {
  readonly #name: string;
  readonly #producer: Producer;
  readonly #topicOf: (name: string) => Promise<WritableTopic | undefined>;
  readonly #onClosed: (() => void) | undefined;
  readonly #spread = new RoundRobin();
  #connected = false;
  #discarded: Error | undefined;
  #last: Promise<unknown> = Promise.resolve();

  constructor(
    client: KafkaClient,
    name: string,
    topicOf: (name: string) => Promise<WritableTopic | undefined>,
    onClosed?: () => void,
  ) {
    this.#onClosed = onClosed;
    this.#name = name;
    this.#topicOf = topicOf;
    this.#producer = client.kafka.producer({
      transactionalId: name,
      idempotent: true,
      maxInFlightRequests: 1,
      transactionTimeout: 10_000,
      allowAutoTopicCreation: false,
      createPartitioner:
        () =>
        ({ message }) =>
          message.partition ?? 0,
      // A transaction meets the end of the one before and has to wait for it: a few ms, not kafkajs's 300.
      // One over hundreds of partitions may take seconds to end.
      retry: { initialRetryTime: 5, maxRetryTime: 1_000, retries: 16 },
    });
  }

  transaction<R extends OutgoingRecord>(read: () => Promise<readonly R[]>): Promise<readonly R[]> {
    const run = this.#last.then(() => this.#transaction(read));
    this.#last = run.catch(() => undefined);
    return run;
  }

  async close(): Promise<void> {
    await this.#last;
    this.#discarded ??= new LogUnavailableError(`writer ${this.#name} is closed`);
    await this.#producer.disconnect().catch(() => undefined);
    this.#onClosed?.();
  }

  async #transaction<R extends OutgoingRecord>(read: () => Promise<readonly R[]>): Promise<readonly R[]> {
    if (this.#discarded) throw this.#discarded;
    const transaction = await this.#calling(async () => {
      if (!this.#connected) await this.#producer.connect();
      this.#connected = true;
      // The first of a producer takes the epoch, and so fences the predecessor.
      return await this.#producer.transaction();
    });
    let records: readonly R[];
    let sends: TopicMessages[][];
    try {
      records = await read();
      sends = await this.#plan(records);
    } catch (error) {
      // Nothing was sent: ending the transaction is kafkajs's own affair.
      await this.#calling(() => transaction.abort());
      throw error;
    }
    await this.#calling(async () => {
      if (sends.length === 0) {
        await transaction.abort();
        return;
      }
      for (const topicMessages of sends) {
        await transaction.sendBatch({ topicMessages, compression: CompressionTypes.GZIP, timeout: 10_000 });
      }
      await transaction.commit();
    });
    return records;
  }

  /** Divides the records into sends that keep to the bounds, in order. */
  async #plan(records: readonly OutgoingRecord[]): Promise<TopicMessages[][]> {
    const sends: TopicMessages[][] = [];
    let topics = new Map<string, Message[]>();
    let bytesOf = new Map<string, number>();
    let sendBytes = 0;
    const now = String(Date.now());
    for (const record of records) {
      const topic = await this.#topicOf(record.topic);
      if (!topic) throw new TopicMismatchError(record.topic, 'there is no such topic');
      const bytes = recordBytes(record);
      if (bytes > maxRecordBytes) throw new RecordTooLargeError(record.topic, bytes, maxRecordBytes);
      if (!record.key && topic.cleanup === 'compact') {
        throw new TopicMismatchError(record.topic, 'a compacted topic takes no record without a key');
      }
      const partition = record.key
        ? partitionOf(record.key, topic.partitions)
        : this.#spread.partition(topic.partitions);
      const place = `${record.topic}/${partition}`;
      const partitionBytes = (bytesOf.get(place) ?? 0) + bytes;
      if (sendBytes > 0 && (partitionBytes > maxPartitionSendBytes || sendBytes + bytes > maxSendBytes)) {
        sends.push(toTopicMessages(topics));
        topics = new Map();
        bytesOf = new Map();
        sendBytes = 0;
      }
      const messages = topics.get(record.topic) ?? [];
      messages.push({ ...toMessage(record, now), partition });
      topics.set(record.topic, messages);
      bytesOf.set(place, (bytesOf.get(place) ?? 0) + bytes);
      sendBytes += bytes;
    }
    if (topics.size > 0) sends.push(toTopicMessages(topics));
    return sends;
  }

  async #calling<T>(call: () => Promise<T>): Promise<T> {
    try {
      return await call();
    } catch (error) {
      this.#discarded = fencedTypes.has(kafkaErrorType(error) ?? '')
        ? new FencedError(this.#name, { cause: error })
        : asUnavailable(error);
      // The connection goes too: an open transaction is ended by its time-out, or by the successor.
      void this.#producer.disconnect().catch(() => undefined);
      throw this.#discarded;
    }
  }
}

/** A newer epoch is there: a successor took it, or the coordinator when the transaction outlived its time-out. */
const fencedTypes: ReadonlySet<string> = new Set(['INVALID_PRODUCER_EPOCH', 'PRODUCER_FENCED']);

const toTopicMessages = (topics: ReadonlyMap<string, Message[]>): TopicMessages[] =>
  [...topics].map(([topic, messages]) => ({ topic, messages }));

const toMessage = (record: OutgoingRecord, timestamp: string): Message => ({
  key: record.key && asBuffer(record.key),
  value: record.value && asBuffer(record.value),
  headers: Object.fromEntries(Object.entries(record.headers).map(([name, value]) => [name, asBuffer(value)])),
  timestamp,
});

const asBuffer = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);

import { LogUnavailableError } from '../errors.ts';
import type { ConsumeOptions, EventLog, FencedWriter, LogConsumer, LogRecord, ReadOptions } from '../port.ts';
import { KafkaAdmin } from './admin.ts';
import { KafkaClient } from './client.ts';
import { KafkaConsumer } from './consumer.ts';
import type { KafkaEventLogOptions } from './options.ts';
import { readPartition } from './reader.ts';
import { TopicRegistry } from './topic-registry.ts';
import { KafkaWriter } from './writer.ts';

/** The event log on Apache Kafka. Connects when something is asked of it. */
export function openKafkaEventLog(options: KafkaEventLogOptions): EventLog {
  return new KafkaEventLog(options);
}

class KafkaEventLog implements EventLog {
  readonly admin: KafkaAdmin;
  readonly #client: KafkaClient;
  readonly #registry: TopicRegistry;
  readonly #consumers = new Set<KafkaConsumer>();
  readonly #writers = new Set<KafkaWriter>();
  readonly #closing = new AbortController();

  constructor(options: KafkaEventLogOptions) {
    this.#client = new KafkaClient(options);
    this.#registry = new TopicRegistry(this.#client);
    this.admin = new KafkaAdmin(this.#client, this.#registry);
  }

  async consume(options: ConsumeOptions): Promise<LogConsumer> {
    this.#assertOpen();
    const consumer = new KafkaConsumer(this.#client, this.#registry, options, () => this.#consumers.delete(consumer));
    this.#consumers.add(consumer);
    await consumer.start();
    return consumer;
  }

  read(options: ReadOptions): AsyncIterable<LogRecord> {
    this.#assertOpen();
    const signal = AbortSignal.any([options.signal, this.#closing.signal]);
    return readPartition(this.#client, { ...options, signal });
  }

  writer(name: string): Promise<FencedWriter> {
    this.#assertOpen();
    const topicOf = (topic: string) => this.#registry.lookUp(topic);
    const writer = new KafkaWriter(this.#client, name, topicOf, () => this.#writers.delete(writer));
    this.#writers.add(writer);
    return Promise.resolve(writer);
  }

  async ping(): Promise<void> {
    this.#assertOpen();
    await this.#client.withAdmin((admin) => admin.describeCluster());
  }

  async close(): Promise<void> {
    if (this.#closing.signal.aborted) return;
    this.#closing.abort();
    await Promise.all([...this.#consumers].map((consumer) => consumer.stop()));
    await Promise.all([...this.#writers].map((writer) => writer.close()));
    await Promise.all([this.#registry.close(), this.admin.close()]);
  }

  #assertOpen(): void {
    if (this.#closing.signal.aborted) throw new LogUnavailableError('the log was closed');
  }
}

import type Cluster from 'kafkajs/src/cluster/index.js';
import { LogUnavailableError } from '../errors.ts';
import type { LogBounds } from '../port.ts';
import { asUnavailable, type KafkaClient } from './client.ts';

/** A topic that was deleted, or a leader that moved, between two questions: new ones are asked. */
const tries = 3;

/** Names, starts and ends of topics, asked over connections that stay. */
export class TopicBounds {
  readonly #client: KafkaClient;
  #cluster: Promise<Cluster> | undefined;
  #closed = false;

  constructor(client: KafkaClient) {
    this.#client = client;
  }

  /** Every topic that the brokers know, internal ones too. */
  names(): Promise<readonly string[]> {
    return this.#asking((cluster) => cluster.brokerPool.metadata?.topicMetadata.map(({ topic }) => topic) ?? []);
  }

  /** Start and end of every partition, in order of their numbers, of those topics that are there: one question for all. */
  of(topics: readonly string[]): Promise<ReadonlyMap<string, readonly LogBounds[]>> {
    return this.#asking(async (cluster) => {
      const there = topics.flatMap((topic) => {
        const partitions = cluster
          .findTopicPartitionMetadata(topic)
          .map(({ partitionId: partition }) => ({ partition }));
        return partitions.length === 0 ? [] : [{ topic, partitions }];
      });
      const ask = async (fromBeginning: boolean) => {
        const found = await cluster.fetchTopicsOffset(there.map((each) => ({ ...each, fromBeginning })));
        return new Map(found.map(({ topic, partitions }) => [topic, offsetsOf(partitions)]));
      };
      const [starts, ends] = await Promise.all([ask(true), ask(false)]);
      return new Map(
        there.map(({ topic, partitions }) => [
          topic,
          partitions
            .map(({ partition }) => partition)
            .sort((a, b) => a - b)
            .map((partition) => ({
              logStart: starts.get(topic)?.get(partition) ?? 0n,
              logEnd: ends.get(topic)?.get(partition) ?? 0n,
            })),
        ]),
      );
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    if (this.#cluster) await this.#discard(this.#cluster);
  }

  /** What the brokers know of their topics is asked for each time: it is what tells a topic that is gone. */
  async #asking<T>(question: (cluster: Cluster) => T | Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt += 1) {
      if (this.#closed) throw new LogUnavailableError('the log was closed');
      const connecting = (this.#cluster ??= this.#connect());
      try {
        const cluster = await connecting;
        await cluster.refreshMetadata();
        return await question(cluster);
      } catch (error) {
        await this.#discard(connecting);
        if (attempt === tries) throw asUnavailable(error);
      }
    }
  }

  async #connect(): Promise<Cluster> {
    const cluster = this.#client.cluster();
    try {
      await cluster.connect();
      return cluster;
    } catch (error) {
      await cluster.disconnect().catch(() => undefined);
      throw error;
    }
  }

  async #discard(connecting: Promise<Cluster>): Promise<void> {
    if (this.#cluster === connecting) this.#cluster = undefined;
    await connecting.then((cluster) => cluster.disconnect()).catch(() => undefined);
  }
}

const offsetsOf = (partitions: readonly { readonly partition: number; readonly offset: string }[]) =>
  new Map(partitions.map(({ partition, offset }) => [partition, BigInt(offset)]));

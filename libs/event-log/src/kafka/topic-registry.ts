import { randomUUID } from 'node:crypto';
import { Backoff, sleep } from '../backoff.ts';
import type { KafkaClient } from './client.ts';
import { Fetcher } from './fetcher.ts';

/** Compacted, one partition, key: topic name. Where the lives of topics are written down. */
export const registryTopic = 'tidemark.topics.v1';

/**
 * One life of a topic. `creating` is written before the topic is made: a topic that is missing while it stands there
 * gets this incarnation, and one that is missing behind `created` was deleted by other means and gets a new one.
 */
export interface TopicLife {
  readonly incarnation: string;
  readonly state: 'creating' | 'created';
  readonly partitions: number;
  readonly cleanup: 'compact' | 'delete';
}

export const newIncarnation = (): string => randomUUID();

/** What `tidemark.topics.v1` says, followed as it grows. */
export class TopicRegistry {
  readonly #client: KafkaClient;
  readonly #lives = new Map<string, TopicLife>();
  readonly #listeners = new Set<(topic: string) => void>();
  readonly #closing = new AbortController();
  #position = 0n;
  #follow: Promise<void> | undefined;

  constructor(client: KafkaClient) {
    this.#client = client;
  }

  get(topic: string): TopicLife | undefined {
    return this.#lives.get(topic);
  }

  /** Whether all below this offset has been read. */
  hasRead(end: bigint): boolean {
    return this.#position >= end;
  }

  /** Reads all that is written now. */
  async refresh(): Promise<void> {
    await this.#withFetcher(async (fetcher) => {
      const end = (await fetcher.bounds())[0]?.logEnd ?? 0n;
      while (this.#position < end) await this.#read(fetcher, 200);
    });
  }

  /** The life of a topic, looked up again when it is not known. */
  async lookUp(topic: string): Promise<TopicLife | undefined> {
    if (!this.#lives.has(topic)) await this.refresh();
    return this.#lives.get(topic);
  }

  /** Tells of topics whose life changes, from now on. */
  watch(listener: (topic: string) => void): () => void {
    this.#listeners.add(listener);
    this.#follow ??= this.#run();
    return () => this.#listeners.delete(listener);
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#follow;
  }

  async #run(): Promise<void> {
    const backoff = new Backoff();
    while (!this.#closing.signal.aborted) {
      try {
        await this.#withFetcher(async (fetcher) => {
          while (!this.#closing.signal.aborted) {
            await this.#read(fetcher, 1_000);
            backoff.succeeded();
          }
        });
      } catch {
        // Whoever needs the registry asks it, and is told then.
        await sleep(backoff.next(), this.#closing.signal);
      }
    }
  }

  async #withFetcher(task: (fetcher: Fetcher) => Promise<void>): Promise<void> {
    const fetcher = await Fetcher.connect(this.#client, registryTopic);
    try {
      await task(fetcher);
    } finally {
      await fetcher.close();
    }
  }

  /** One fetch. Several loops may read at once: what another has read meanwhile is not applied again. */
  async #read(fetcher: Fetcher, maxWaitMs: number): Promise<void> {
    const from = this.#position;
    const [nodeId] = (await fetcher.leaders([0])).keys();
    if (nodeId === undefined) throw new Error(`${registryTopic} has no leader`);
    const request = { maxWaitMs, maxBytesPerPartition: 1 << 20 };
    const [fetched] = await fetcher.fetch(nodeId, new Map([[0, from]]), request);
    if (!fetched) return;
    for (const record of fetched.records) {
      if (record.offset < this.#position || record.key === null) continue;
      const topic = Buffer.from(record.key).toString('utf8');
      const before = this.#lives.get(topic)?.incarnation;
      if (record.value === null) this.#lives.delete(topic);
      else this.#lives.set(topic, JSON.parse(Buffer.from(record.value).toString('utf8')) as TopicLife);
      if (before !== this.#lives.get(topic)?.incarnation) for (const listener of this.#listeners) listener(topic);
    }
    if (fetched.nextOffset > this.#position) this.#position = fetched.nextOffset;
  }
}

import { OffsetOutOfRangeError, TopicMismatchError } from '../errors.ts';
import type { Fetched } from '../fetched.ts';
import { defaultMaxBatchBytes } from '../limits.ts';
import { patiently } from '../patience.ts';
import type { LogRecord, ReadOptions } from '../port.ts';
import { asUnavailable, type KafkaClient, kafkaErrorType } from './client.ts';
import { Fetcher } from './fetcher.ts';

/** Reads one partition in order, without a group; see `EventLog.read`. */
export async function* readPartition(client: KafkaClient, options: ReadOptions): AsyncGenerator<LogRecord> {
  const { signal, until, partition, topic } = options;
  const source = new PartitionSource(client, topic, partition);
  const onAbort = () => void source.close();
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    let position = options.from;
    await patiently(() => source.checkBounds(position), signal);
    while (!signal.aborted && (until === undefined || position < until)) {
      const fetched = await patiently(() => source.fetch(position), signal);
      if (!fetched) return;
      for (const record of fetched.records) {
        if (signal.aborted || (until !== undefined && record.offset >= until)) return;
        yield record;
      }
      position = fetched.nextOffset;
    }
  } finally {
    signal.removeEventListener('abort', onAbort);
    await source.close();
  }
}

/** A connection that is made when it is needed, and made anew after it failed. */
class PartitionSource {
  readonly #client: KafkaClient;
  readonly #topic: string;
  readonly #partition: number;
  #fetcher: Fetcher | undefined;

  constructor(client: KafkaClient, topic: string, partition: number) {
    this.#client = client;
    this.#topic = topic;
    this.#partition = partition;
  }

  async checkBounds(from: bigint): Promise<true> {
    const bounds = (await this.#with((fetcher) => fetcher.bounds()))[this.#partition];
    if (!bounds) throw new TopicMismatchError(this.#topic, `has no partition ${this.#partition}`);
    if (from < bounds.logStart || from > bounds.logEnd) {
      throw new OffsetOutOfRangeError(this.#topic, this.#partition, from, bounds.logStart, bounds.logEnd);
    }
    return true;
  }

  fetch(from: bigint): Promise<Fetched> {
    return this.#with(async (fetcher) => {
      const [nodeId] = (await fetcher.leaders([this.#partition])).keys();
      if (nodeId === undefined) throw new Error(`${this.#topic}/${this.#partition} has no leader`);
      const request = { maxWaitMs: 500, maxBytesPerPartition: defaultMaxBatchBytes };
      const [fetched] = await fetcher.fetch(nodeId, new Map([[this.#partition, from]]), request);
      if (!fetched) throw new Error(`no answer for ${this.#topic}/${this.#partition}`);
      return fetched;
    });
  }

  async close(): Promise<void> {
    const fetcher = this.#fetcher;
    this.#fetcher = undefined;
    await fetcher?.close();
  }

  async #with<T>(task: (fetcher: Fetcher) => Promise<T>): Promise<T> {
    try {
      this.#fetcher ??= await Fetcher.connect(this.#client, this.#topic);
      return await task(this.#fetcher);
    } catch (error) {
      if (error instanceof OffsetOutOfRangeError) throw error;
      await this.close();
      if (kafkaErrorType(error) === 'UNKNOWN_TOPIC_OR_PARTITION') {
        throw new TopicMismatchError(this.#topic, 'there is no such topic');
      }
      throw asUnavailable(error);
    }
  }
}

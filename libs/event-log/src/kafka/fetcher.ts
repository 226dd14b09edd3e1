import type Cluster from 'kafkajs/src/cluster/index.js';
import type { RawPartition } from 'kafkajs/src/cluster/index.js';
import { OffsetOutOfRangeError } from '../errors.ts';
import type { Fetched } from '../fetched.ts';
import type { Headers, LogBounds, LogRecord } from '../port.ts';
import type { KafkaClient } from './client.ts';
import { committedRecords } from './committed-records.ts';

const readCommitted = 1;
/** A confirming fetch may be answered with this much, far more than all empty batches of a partition together. */
const confirmBytes = 8 << 20;

export interface FetchRequest {
  readonly maxWaitMs: number;
  /** As they lie in the log, compressed. One batch comes even if it has more. */
  readonly maxBytesPerPartition: number;
  /** Of the whole answer. Default as much as each partition may have. */
  readonly maxBytes?: number;
}

/**
 * Reads partitions of one topic from given offsets, committed records only. kafkajs's consumer is not used for it: it
 * has no reading without a group, and its filter lets records of overlapping aborted transactions through.
 */
export class Fetcher {
  readonly #cluster: Cluster;
  readonly #topic: string;

  private constructor(cluster: Cluster, topic: string) {
    this.#cluster = cluster;
    this.#topic = topic;
  }

  static async connect(client: KafkaClient, topic: string): Promise<Fetcher> {
    const cluster = client.cluster();
    try {
      await cluster.connect();
      await cluster.addTargetTopic(topic);
      return new Fetcher(cluster, topic);
    } catch (error) {
      await cluster.disconnect().catch(() => undefined);
      throw error;
    }
  }

  async close(): Promise<void> {
    await this.#cluster.disconnect().catch(() => undefined);
  }

  /** Start and end of every partition, in order of their numbers. */
  async bounds(): Promise<LogBounds[]> {
    await this.#cluster.refreshMetadataIfNecessary();
    const partitions = this.#cluster
      .findTopicPartitionMetadata(this.#topic)
      .map(({ partitionId }) => ({ partition: partitionId }));
    const offsets = async (fromBeginning: boolean) => {
      const [found] = await this.#cluster.fetchTopicsOffset([{ topic: this.#topic, fromBeginning, partitions }]);
      return new Map(found?.partitions.map(({ partition, offset }) => [partition, BigInt(offset)]));
    };
    const [starts, ends] = [await offsets(true), await offsets(false)];
    return partitions
      .map(({ partition }) => partition)
      .sort((a, b) => a - b)
      .map((partition) => ({ logStart: starts.get(partition) ?? 0n, logEnd: ends.get(partition) ?? 0n }));
  }

  /** Partitions by the broker that leads them. */
  async leaders(partitions: readonly number[]): Promise<ReadonlyMap<string, readonly number[]>> {
    await this.#cluster.refreshMetadataIfNecessary();
    return new Map(Object.entries(this.#cluster.findLeaderForPartitions(this.#topic, partitions)));
  }

  /**
   * One fetch from one broker; waits up to `maxWaitMs` for something to come.
   * @throws {OffsetOutOfRangeError} naming the partition
   */
  async fetch(nodeId: string, positions: ReadonlyMap<number, bigint>, request: FetchRequest): Promise<Fetched[]> {
    const answers = await this.#fetchRaw(nodeId, positions, request);
    const fetched: Fetched[] = [];
    const silent: number[] = [];
    for (const answer of answers) {
      const from = positions.get(answer.partition);
      if (from === undefined) continue;
      const result = toFetched(this.#topic, answer, from);
      if (result.nextOffset === from && BigInt(answer.lastStableOffset) > from) silent.push(answer.partition);
      else fetched.push(result);
    }
    // Where others were given something, the silent ones may have been left out for want of room: they are asked again.
    if (fetched.some(({ nextOffset, from }) => nextOffset > from)) return fetched;
    const [first] = silent;
    if (first !== undefined) fetched.push(await this.#confirmNothing(nodeId, first, positions.get(first) ?? 0n));
    return fetched;
  }

  /**
   * A fetch of several partitions may leave one out for want of room; alone, a partition always gets its next batch.
   * What is then still without a record is empty up to the last stable offset: batches that compaction emptied.
   */
  async #confirmNothing(nodeId: string, partition: number, from: bigint): Promise<Fetched> {
    const alone = { maxWaitMs: 0, maxBytesPerPartition: confirmBytes };
    const [answer] = await this.#fetchRaw(nodeId, new Map([[partition, from]]), alone);
    if (!answer) throw new Error(`no answer for ${this.#topic}/${partition}`);
    const result = toFetched(this.#topic, answer, from);
    const stable = BigInt(answer.lastStableOffset);
    return result.nextOffset === from && stable > from ? { ...result, nextOffset: stable } : result;
  }

  async #fetchRaw(
    nodeId: string,
    positions: ReadonlyMap<number, bigint>,
    request: FetchRequest,
  ): Promise<readonly RawPartition[]> {
    const broker = await this.#cluster.findBroker({ nodeId });
    try {
      const { responses } = await broker.fetch({
        isolationLevel: readCommitted,
        maxWaitTime: request.maxWaitMs,
        minBytes: 1,
        maxBytes: request.maxBytes ?? Math.max(confirmBytes, request.maxBytesPerPartition * positions.size),
        topics: [
          {
            topic: this.#topic,
            partitions: [...positions].map(([partition, offset]) => ({
              partition,
              fetchOffset: String(offset),
              maxBytes: request.maxBytesPerPartition,
            })),
          },
        ],
      });
      return responses.flatMap(({ partitions }) => partitions);
    } catch (error) {
      if (!isOutOfRange(error)) throw error;
      const bounds = (await this.bounds())[error.partition];
      const wanted = positions.get(error.partition) ?? 0n;
      throw new OffsetOutOfRangeError(
        this.#topic,
        error.partition,
        wanted,
        bounds?.logStart ?? 0n,
        bounds?.logEnd ?? 0n,
      );
    }
  }
}

function toFetched(topic: string, answer: RawPartition, from: bigint): Fetched {
  const records: LogRecord[] = [];
  for (const record of committedRecords(answer)) {
    const offset = BigInt(record.offset);
    // A batch is sent whole: it may begin before the offset that was asked for.
    if (offset < from) continue;
    records.push({
      topic,
      partition: answer.partition,
      offset,
      timestampMs: Number(record.timestamp),
      key: record.key,
      value: record.value,
      headers: toHeaders(record.headers),
    });
  }
  const last = answer.messages.at(-1);
  const covered = last ? BigInt(last.batchContext.firstOffset) + BigInt(last.batchContext.lastOffsetDelta) + 1n : from;
  return {
    partition: answer.partition,
    from,
    records,
    nextOffset: covered > from ? covered : from,
    logStart: BigInt(answer.lastStartOffset),
    logEnd: BigInt(answer.highWatermark),
  };
}

/** Of a header that was sent more than once the last one counts. */
function toHeaders(raw: Readonly<Record<string, Buffer | Buffer[] | null>>): Headers {
  const headers: Record<string, Uint8Array> = {};
  for (const [name, value] of Object.entries(raw)) {
    headers[name] = (Array.isArray(value) ? value.at(-1) : value) ?? new Uint8Array();
  }
  return headers;
}

const isOutOfRange = (error: unknown): error is Error & { readonly partition: number } =>
  error instanceof Error && error.name === 'KafkaJSOffsetOutOfRange' && 'partition' in error;

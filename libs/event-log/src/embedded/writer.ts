import { EventLogError, FencedError, LogUnavailableError, RecordTooLargeError, TopicMismatchError } from '../errors.ts';
import { maxRecordBytes, recordBytes } from '../limits.ts';
import { partitionOf, RoundRobin } from '../partitioner.ts';
import type { FencedWriter, OutgoingRecord } from '../port.ts';
import type { Announcer } from './announcer.ts';
import { type Database, sqlStateOf } from './database.ts';
import { sqlStates } from './functions.ts';
import { encodeHeaders } from './headers-codec.ts';
import type { TopicCatalog, TopicEntry } from './topic-catalog.ts';

/**
 * A named writer. Its epoch is drawn by the first transaction; every append checks it in the same call that appends, so
 * a writer that was stopped for an hour and comes back can't append anything, and holds no lock meanwhile.
 */
export class EmbeddedWriter implements FencedWriter {
  readonly #database: Database;
  readonly #topics: TopicCatalog;
  readonly #announcer: Announcer;
  readonly #name: string;
  readonly #spread = new RoundRobin();
  #epoch: bigint | undefined;
  #discarded: Error | undefined;
  #last: Promise<unknown> = Promise.resolve();

  constructor(database: Database, topics: TopicCatalog, announcer: Announcer, name: string) {
    this.#database = database;
    this.#announcer = announcer;
    this.#topics = topics;
    this.#name = name;
  }

  transaction<R extends OutgoingRecord>(read: () => Promise<readonly R[]>): Promise<readonly R[]> {
    const run = this.#last.then(() => this.#transaction(read));
    this.#last = run.catch(() => undefined);
    return run;
  }

  async close(): Promise<void> {
    await this.#last;
    this.#discarded ??= new LogUnavailableError(`writer ${this.#name} is closed`);
  }

  async #transaction<R extends OutgoingRecord>(read: () => Promise<readonly R[]>): Promise<readonly R[]> {
    if (this.#discarded) throw this.#discarded;
    await this.#fence();
    const records = await read();
    if (records.length > 0) await this.#append(records);
    return records;
  }

  async #fence(): Promise<void> {
    if (this.#epoch !== undefined) return;
    const [row] = await this.#calling(() =>
      this.#database.query<{ epoch: bigint }>(
        `INSERT INTO event_log.writers AS w (name, epoch) VALUES ($1, 1)
         ON CONFLICT (name) DO UPDATE SET epoch = w.epoch + 1 RETURNING epoch`,
        [this.#name],
      ),
    );
    this.#epoch = row?.epoch;
  }

  async #append(records: readonly OutgoingRecord[], again = true): Promise<void> {
    const topics = await this.#calling(() => this.#topics.resolve(records.map((record) => record.topic)));
    const packed = pack(records, topics, this.#spread);
    const appended = await this.#calling(() => this.#callAppend(packed));
    if (appended) return;
    // A topic was deleted or replaced after it was looked up; nothing was appended.
    this.#topics.forget(topics.keys());
    if (!again) throw new TopicMismatchError([...topics.keys()].join(', '), 'replaced again and again');
    await this.#append(records, false);
  }

  /** Answers false when a topic is not there any more. */
  async #callAppend(packed: PackedRecords): Promise<boolean> {
    try {
      const [row] = await this.#database.query<{ ends: string }>(
        'SELECT event_log.append($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) AS ends',
        [
          this.#name,
          this.#epoch,
          Date.now(),
          packed.topics,
          packed.partitions,
          packed.starts,
          packed.keyBytes,
          packed.valueBytes,
          packed.headerBytes,
          packed.data,
        ],
      );
      if (row) this.#announcer.announce(row.ends);
      return true;
    } catch (error) {
      if (sqlStateOf(error) === sqlStates.topicGone) return false;
      throw error;
    }
  }

  /** After a failed call the outcome may be unknown: this writer is done. */
  async #calling<T>(call: () => Promise<T>): Promise<T> {
    try {
      return await call();
    } catch (error) {
      this.#discarded =
        sqlStateOf(error) === sqlStates.fenced
          ? new FencedError(this.#name, { cause: error })
          : error instanceof EventLogError
            ? error
            : new LogUnavailableError(`append by ${this.#name} failed`, { cause: error });
      throw this.#discarded;
    }
  }
}

type PackedRecords = ReturnType<typeof pack>;

/** Records as `event_log.append` takes them: one byte string, and arrays that say what lies where. */
function pack(records: readonly OutgoingRecord[], topics: ReadonlyMap<string, TopicEntry>, spread: RoundRobin) {
  const packed = {
    topics: [] as number[],
    partitions: [] as number[],
    starts: [] as number[],
    keyBytes: [] as number[],
    valueBytes: [] as number[],
    headerBytes: [] as number[],
  };
  const parts: Uint8Array[] = [];
  let start = 0;
  for (const record of records) {
    const topic = topics.get(record.topic);
    if (!topic) throw new TopicMismatchError(record.topic, 'there is no such topic');
    if (!record.key && topic.cleanup === 'compact') {
      throw new TopicMismatchError(record.topic, 'a compacted topic takes no record without a key');
    }
    const bytes = recordBytes(record);
    if (bytes > maxRecordBytes) throw new RecordTooLargeError(record.topic, bytes, maxRecordBytes);
    const headers = encodeHeaders(record.headers);
    packed.topics.push(topic.id);
    packed.partitions.push(record.key ? partitionOf(record.key, topic.partitions) : spread.partition(topic.partitions));
    packed.starts.push(start);
    packed.keyBytes.push(record.key?.length ?? -1);
    packed.valueBytes.push(record.value?.length ?? -1);
    packed.headerBytes.push(headers.length);
    for (const part of [record.key, record.value, headers]) {
      if (!part) continue;
      parts.push(part);
      start += part.length;
    }
  }
  return { ...packed, data: Buffer.concat(parts) };
}

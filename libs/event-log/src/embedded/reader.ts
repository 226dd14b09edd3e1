import { OffsetOutOfRangeError, TopicMismatchError } from '../errors.ts';
import { defaultMaxBatchBytes, defaultMaxBatchRecords } from '../limits.ts';
import type { LogRecord, ReadOptions } from '../port.ts';
import { Wakeup } from '../wakeup.ts';
import { type Database, sqlStateOf } from './database.ts';
import type { Fetched } from '../fetched.ts';
import { patiently } from '../patience.ts';
import { fetchPartitions } from './fetch.ts';
import type { Tail } from './tail.ts';
import type { TopicCatalog, TopicEntry } from './topic-catalog.ts';

export interface ReaderParts {
  readonly database: Database;
  readonly tail: Tail;
  readonly topics: TopicCatalog;
}

const limits = { maxRecords: defaultMaxBatchRecords, maxBytes: defaultMaxBatchBytes };

/** Reads one partition in order, without a group; see `EventLog.read`. */
export async function* readPartition(parts: ReaderParts, options: ReadOptions): AsyncGenerator<LogRecord> {
  const { signal, until, partition } = options;
  // A long-lived reader must not trust what was remembered of the topic: it may have been replaced.
  parts.topics.forget([options.topic]);
  const topic = (await parts.topics.resolve([options.topic])).get(options.topic);
  if (!topic) throw new TopicMismatchError(options.topic, 'there is no such topic');
  const news = new Wakeup();
  const onAbort = () => news.signal();
  signal.addEventListener('abort', onAbort, { once: true });
  const unwatch = parts.tail.watch(topic.id, { onAppended: () => news.signal() });
  try {
    let position = options.from;
    while (!signal.aborted && (until === undefined || position < until)) {
      const fetched = await patiently(() => fetchOne(parts, topic, partition, position), signal);
      if (!fetched) return;
      for (const record of fetched.records) {
        if (signal.aborted || (until !== undefined && record.offset >= until)) return;
        yield record;
      }
      if (fetched.nextOffset === position) await news.wait();
      position = fetched.nextOffset;
    }
  } finally {
    unwatch();
    signal.removeEventListener('abort', onAbort);
  }
}

async function fetchOne(parts: ReaderParts, topic: TopicEntry, partition: number, from: bigint): Promise<Fetched> {
  try {
    const [fetched] = await fetchPartitions(parts.database, topic, new Map([[partition, from]]), limits);
    if (!fetched) throw new TopicMismatchError(topic.name, `has no partition ${partition}`);
    if (from < fetched.logStart || from > fetched.logEnd) {
      throw new OffsetOutOfRangeError(topic.name, partition, from, fetched.logStart, fetched.logEnd);
    }
    return fetched;
  } catch (error) {
    if (sqlStateOf(error) === '42P01') throw new TopicMismatchError(topic.name, 'was deleted');
    throw error;
  }
}

import type { BlobStore } from '@tidemark/blob-store';
import type { EventLog, LogRecord } from '@tidemark/event-log';
import { hashesIn, hashesInRecordOf } from '@tidemark/stage-runtime';
import { recordsOfAllTopics } from '../blobs/named-by-topics.ts';

/** Where a problem stands in the topics. */
export interface TopicFindings {
  /** Records that hold its id, by topic. */
  readonly records: ReadonlyMap<string, number>;
  /** Offset of the last of them, by topic of one partition. */
  readonly last: ReadonlyMap<string, bigint>;
  /** Records that hold pieces of its texts, by topic, and are not another problem's. */
  readonly words: ReadonlyMap<string, number>;
  /** What may be names of blobs in records about it. */
  readonly ownBlobs: ReadonlySet<string>;
  /** The same in all other records. */
  readonly othersBlobs: ReadonlySet<string>;
  readonly read: number;
}

/** Reads every record of every topic. */
export async function lookInTopics(
  log: EventLog,
  blobs: BlobStore,
  problemId: string,
  words: readonly string[],
  signal: AbortSignal,
): Promise<TopicFindings> {
  const records = new Map<string, number>();
  const last = new Map<string, bigint>();
  const inWords = new Map<string, number>();
  const ownBlobs = new Set<string>();
  const othersBlobs = new Set<string>();
  let read = 0;
  for await (const record of recordsOfAllTopics(log, signal)) {
    read += 1;
    const { topic, offset, value } = record;
    const isOwn = holdsId(record, problemId);
    if (isOwn) {
      add(records, topic);
      last.set(topic, offset);
    } else if (words.length > 0 && holdsWords(record, words)) add(inWords, topic);
    if (value === null) continue;
    const named = isOwn ? ownBlobs : othersBlobs;
    for (const hash of hashesIn(value)) named.add(hash);
    if (!isLettersOrOrders(topic)) continue;
    for (const hash of await hashesInRecordOf(blobs, value)) named.add(hash);
  }
  return { records, last, words: inWords, ownBlobs, othersBlobs, read };
}

export const isLettersOrOrders = (topic: string): boolean => /\.dlq\.v1$|^orders\./.test(topic);

function holdsId({ key, value, headers }: LogRecord, problemId: string): boolean {
  return [key, value, ...Object.values(headers)].some(
    (bytes) => bytes !== null && Buffer.from(bytes).includes(problemId),
  );
}

/** A record whose key names a problem is that problem's. */
function holdsWords({ key, value }: LogRecord, words: readonly string[]): boolean {
  if (value === null || /[0-9a-f]{32}/.test(Buffer.from(key ?? new Uint8Array()).toString('latin1'))) return false;
  const bytes = Buffer.from(value);
  return words.some((word) => bytes.includes(word));
}

const add = (counts: Map<string, number>, name: string) => counts.set(name, (counts.get(name) ?? 0) + 1);

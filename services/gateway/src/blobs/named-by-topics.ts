import type { BlobStore } from '@tidemark/blob-store';
import type { EventLog, LogRecord } from '@tidemark/event-log';
import { hashesIn, hashesInRecordOf } from '@tidemark/stage-runtime';

/** Every record that every topic holds now, topic by topic. */
export async function* recordsOfAllTopics(log: EventLog, signal: AbortSignal): AsyncIterable<LogRecord> {
  for (const { name, partitions } of (await log.admin.describeAll(await log.admin.list())).values()) {
    for (const [partition, { logStart, logEnd }] of partitions.entries()) {
      if (logStart >= logEnd) continue;
      yield* log.read({ topic: name, partition, from: logStart, until: logEnd, signal });
    }
  }
}

/**
 * Adds what may be names of blobs in all records that topics hold.
 *
 * @returns how many records were read
 */
export async function addNamedByTopics(
  log: EventLog,
  blobs: BlobStore,
  named: Set<string>,
  signal: AbortSignal,
): Promise<number> {
  let records = 0;
  for await (const { topic, key, value } of recordsOfAllTopics(log, signal)) {
    records += 1;
    if (key !== null) for (const hash of hashesIn(key)) named.add(hash);
    if (value === null) continue;
    for (const hash of hashesIn(value)) named.add(hash);
    if (!/\.dlq\.v1$|^orders\./.test(topic)) continue;
    for (const hash of await hashesInRecordOf(blobs, value)) named.add(hash);
  }
  return records;
}

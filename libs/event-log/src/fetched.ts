import { recordBytes } from './limits.ts';
import type { LogBounds, LogRecord } from './port.ts';

export interface FetchLimits {
  readonly maxRecords: number;
  readonly maxBytes: number;
}

/** What lies in one partition from an offset on. */
export interface Fetched extends LogBounds {
  readonly partition: number;
  readonly from: bigint;
  readonly records: readonly LogRecord[];
  /** The offset after all that the fetch covered: the log's end, if the limits did not cut it. */
  readonly nextOffset: bigint;
}

export const bytesOf = ({ records }: Pick<Fetched, 'records'>): number =>
  records.reduce((sum, record) => sum + recordBytes(record), 0);

/**
 * Takes a batch off the front of what was fetched: as many records as the limits allow, one at least.
 *
 * @returns the batch, and what is left of it, fetched from where the batch ends
 */
export function takeBatch(
  fetched: Fetched,
  { maxRecords, maxBytes }: FetchLimits,
): readonly [Fetched, Fetched | undefined] {
  let bytes = 0;
  let count = 0;
  for (const record of fetched.records) {
    bytes += recordBytes(record);
    if (count > 0 && (count >= maxRecords || bytes > maxBytes)) break;
    count += 1;
  }
  const next = fetched.records[count];
  if (next === undefined) return [fetched, undefined];
  return [
    { ...fetched, records: fetched.records.slice(0, count), nextOffset: next.offset },
    { ...fetched, records: fetched.records.slice(count), from: next.offset },
  ];
}

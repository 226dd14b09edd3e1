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

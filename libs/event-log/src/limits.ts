/** Largest record that the log takes: key, value and headers together, in bytes. Events stay under 256 KiB by design. */
export const maxRecordBytes = 900_000;
/** Default upper bound of a batch's bytes; a single larger record still comes through. */
export const defaultMaxBatchBytes = 1_048_576;
/** Default upper bound of the bytes that one consumer has in hand and fetched ahead, over all its partitions. */
export const defaultMaxHeldBytes = 16 << 20;
export const defaultMaxBatchRecords = 500;
export const defaultSessionTimeoutMs = 10_000;

/** Bytes of a record as the log counts them. */
export function recordBytes(record: {
  readonly key: Uint8Array | null;
  readonly value: Uint8Array | null;
  readonly headers: Readonly<Record<string, Uint8Array>>;
}): number {
  let bytes = (record.key?.length ?? 0) + (record.value?.length ?? 0);
  for (const [name, value] of Object.entries(record.headers)) bytes += name.length + value.length;
  return bytes;
}

import type { SpooledBody } from './spool-body.ts';
import type { Line } from './split-lines.ts';

/** A transaction takes this many records, or this many bytes, whichever comes first. */
export const CHUNK_RECORDS = 500;
export const CHUNK_BYTES = 8 * 1024 * 1024;

/** Lines in groups that one transaction takes. */
export async function* inChunks(
  lines: AsyncIterable<Line>,
  maxRecords = CHUNK_RECORDS,
  maxBytes = CHUNK_BYTES,
): AsyncGenerator<Line[]> {
  let chunk: Line[] = [];
  let bytes = 0;
  for await (const line of lines) {
    chunk.push(line);
    bytes += line.kind === 'line' ? line.bytes.length : 0;
    if (chunk.length < maxRecords && bytes < maxBytes) continue;
    yield chunk;
    chunk = [];
    bytes = 0;
  }
  if (chunk.length > 0) yield chunk;
}

/** A body that is one JSON text, over however many lines. */
export async function* wholeBody({ sizeBytes, chunks }: SpooledBody, limitBytes: number): AsyncGenerator<Line> {
  if (sizeBytes > limitBytes) {
    yield { kind: 'too_large', number: 1, sizeBytes };
    return;
  }
  const parts: Uint8Array[] = [];
  for await (const part of chunks()) parts.push(part);
  yield { kind: 'line', number: 1, bytes: Buffer.concat(parts) };
}

import type { Readable } from 'node:stream';

/** Reads a stream to its end and keeps the first `keep` bytes; calls `onOverflow` once when more arrive. */
export function collect(stream: Readable, keep: number, onOverflow: () => void): () => Uint8Array {
  const chunks: Buffer[] = [];
  let kept = 0;
  let over = false;
  stream.on('data', (chunk: Buffer) => {
    if (kept < keep) {
      const part = chunk.length > keep - kept ? chunk.subarray(0, keep - kept) : chunk;
      chunks.push(part);
      kept += part.length;
      if (part.length === chunk.length) return;
    }
    if (!over && chunk.length > 0) {
      over = true;
      onOverflow();
    }
  });
  // A reset by a killed peer ends the stream; what was read stays.
  stream.on('error', () => undefined);
  return () => Buffer.concat(chunks);
}

/** Reads a stream to its end and keeps its head and its tail, `keep` bytes each. */
export function collectEnds(stream: Readable, keep: number): () => Uint8Array {
  let head = Buffer.alloc(0);
  let tail = Buffer.alloc(0);
  stream.on('data', (chunk: Buffer) => {
    const room = keep - head.length;
    if (room > 0) head = Buffer.concat([head, chunk.subarray(0, room)]);
    const rest = room > 0 ? chunk.subarray(room) : chunk;
    if (rest.length > 0) tail = Buffer.concat([tail, rest.subarray(-keep)]).subarray(-keep);
  });
  stream.on('error', () => undefined);
  return () => Buffer.concat([head, tail]);
}

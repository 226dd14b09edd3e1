import type { Headers } from '@tidemark/event-log';

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Headers as one column: for each, name length (2 bytes), name in UTF-8, value length (4 bytes), value. Big endian. */
export function encodeHeaders(headers: Headers): Buffer {
  const parts: Uint8Array[] = [];
  for (const [name, value] of Object.entries(headers)) {
    const nameBytes = encoder.encode(name);
    const lengths = Buffer.alloc(6);
    lengths.writeUInt16BE(nameBytes.length, 0);
    lengths.writeUInt32BE(value.length, 2);
    parts.push(lengths.subarray(0, 2), nameBytes, lengths.subarray(2), value);
  }
  return Buffer.concat(parts);
}

export function decodeHeaders(bytes: Buffer): Headers {
  const headers: Record<string, Uint8Array> = {};
  let at = 0;
  const take = (length: number): Buffer => bytes.subarray(at, (at += length));
  while (at < bytes.length) {
    const name = decoder.decode(take(take(2).readUInt16BE()));
    headers[name] = take(take(4).readUInt32BE());
  }
  return headers;
}

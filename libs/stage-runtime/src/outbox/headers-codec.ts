import type { Headers } from '@tidemark/event-log';

/** Headers as one column: for each, name length (2 bytes), name in UTF-8, value length (4 bytes), value. Big endian. */
export function encodeHeaders(headers: Headers): Buffer {
  const entries = Object.entries(headers);
  const sizes = entries.map(([name, value]) => 6 + Buffer.byteLength(name) + value.length);
  const bytes = Buffer.allocUnsafe(sizes.reduce((sum, size) => sum + size, 0));
  let at = 0;
  for (const [name, value] of entries) {
    const nameLength = bytes.write(name, at + 2);
    bytes.writeUInt16BE(nameLength, at);
    bytes.writeUInt32BE(value.length, at + 2 + nameLength);
    bytes.set(value, at + 6 + nameLength);
    at += 6 + nameLength + value.length;
  }
  return bytes;
}

export function decodeHeaders(bytes: Buffer): Headers {
  const headers: Record<string, Uint8Array> = {};
  for (let at = 0; at < bytes.length; ) {
    const nameEnd = at + 2 + bytes.readUInt16BE(at);
    const valueEnd = nameEnd + 4 + bytes.readUInt32BE(nameEnd);
    headers[bytes.toString('utf8', at + 2, nameEnd)] = bytes.subarray(nameEnd + 4, valueEnd);
    at = valueEnd;
  }
  return headers;
}

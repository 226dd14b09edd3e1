import type { Headers } from '../port.ts';

/**
 * Headers in one byte string: for each, the length of its name (2 bytes), the name (UTF-8), the length of its value
 * (4 bytes), the value; big-endian. No headers are no bytes.
 */
export function encodeHeaders(headers: Headers): Buffer {
  const parts: Buffer[] = [];
  for (const [name, value] of Object.entries(headers)) {
    const nameBytes = Buffer.from(name, 'utf8');
    const nameLength = Buffer.allocUnsafe(2);
    nameLength.writeUInt16BE(nameBytes.length);
    const valueLength = Buffer.allocUnsafe(4);
    valueLength.writeUInt32BE(value.length);
    parts.push(nameLength, nameBytes, valueLength, Buffer.from(value.buffer, value.byteOffset, value.length));
  }
  return Buffer.concat(parts);
}

export function decodeHeaders(bytes: Buffer): Headers {
  const headers: Record<string, Uint8Array> = Object.create(null) as Record<string, Uint8Array>;
  let at = 0;
  while (at < bytes.length) {
    const nameEnd = at + 2 + bytes.readUInt16BE(at);
    const name = bytes.toString('utf8', at + 2, nameEnd);
    const valueEnd = nameEnd + 4 + bytes.readUInt32BE(nameEnd);
    headers[name] = bytes.subarray(nameEnd + 4, valueEnd);
    at = valueEnd;
  }
  return headers;
}

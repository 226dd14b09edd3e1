/** One line of an upload, without its line end. */
export type Line =
  | { readonly kind: 'line'; readonly number: number; readonly bytes: Uint8Array }
  /** Longer than allowed: its content was passed over. */
  | { readonly kind: 'too_large'; readonly number: number; readonly sizeBytes: number };

const NEWLINE = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf];

/**
 * Cuts bytes into lines at LF; CR before it and a byte order mark at the start are dropped, blank lines are counted and
 * passed over. Numbers start at 1. Memory is bounded by the longest line allowed.
 *
 * @param limitBytes a longer line is reported as `too_large`
 */
export async function* splitLines(chunks: AsyncIterable<Uint8Array>, limitBytes: number): AsyncGenerator<Line> {
  let number = 0;
  let parts: Uint8Array[] = [];
  let size = 0;
  const take = (part: Uint8Array) => {
    size += part.length;
    // One line end more than the limit may be part of the line so far.
    if (size <= limitBytes + 1 + (number === 0 ? BYTE_ORDER_MARK.length : 0)) parts.push(part);
  };
  const finish = (): Line | undefined => {
    number += 1;
    const sizeBytes = size;
    const kept = parts.reduce((sum, part) => sum + part.length, 0);
    const bytes = kept < sizeBytes ? undefined : trimLine(Buffer.concat(parts, kept), number === 1);
    parts = [];
    size = 0;
    if (bytes === undefined || bytes.length > limitBytes) return { kind: 'too_large', number, sizeBytes };
    return isBlank(bytes) ? undefined : { kind: 'line', number, bytes };
  };
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      take(chunk.subarray(start, end));
      start = end + 1;
      const line = finish();
      if (line !== undefined) yield line;
    }
    if (start < chunk.length) take(chunk.subarray(start));
  }
  const last = size > 0 ? finish() : undefined;
  if (last !== undefined) yield last;
}

function trimLine(bytes: Uint8Array, first: boolean): Uint8Array {
  const from = first && BYTE_ORDER_MARK.every((byte, at) => bytes[at] === byte) ? BYTE_ORDER_MARK.length : 0;
  const to = bytes.at(-1) === CARRIAGE_RETURN ? bytes.length - 1 : bytes.length;
  return bytes.subarray(from, Math.max(from, to));
}

function isBlank(bytes: Uint8Array): boolean {
  return bytes.every((byte) => byte === 0x20 || byte === 0x09 || byte === CARRIAGE_RETURN);
}

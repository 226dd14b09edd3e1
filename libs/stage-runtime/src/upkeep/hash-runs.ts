/** Hexadecimal digits of a SHA-256. */
const DIGITS = 64;
/** A longer run names nothing: it is data. Each of its 64-digit pieces would count as a name otherwise. */
const MAX_RUN = 4_096;

/**
 * What may be names of blobs in a text or in bytes: every piece of 64 hexadecimal digits. A payload's hash stands in its
 * message as such digits, whatever lies around it; what only looks like one keeps a blob alive for longer, and nothing else.
 */
export function* hashesIn(content: Uint8Array | string): Iterable<string> {
  const text =
    typeof content === 'string'
      ? content
      : Buffer.from(content.buffer, content.byteOffset, content.length).toString('latin1');
  for (const [run] of text.matchAll(/[0-9a-f]{64,}/g)) {
    if (run.length > MAX_RUN) continue;
    for (let start = 0; start + DIGITS <= run.length; start++) yield run.slice(start, start + DIGITS);
  }
}

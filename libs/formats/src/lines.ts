/** One line of a file that is not blank. */
export interface RecordLine {
  /** Number of the line, from 1. */
  readonly line: number;
  /** Number of the record among the lines that are not blank, from 0. */
  readonly record: number;
  /** The line without its end and without a byte order mark. */
  readonly bytes: Uint8Array;
}

const LF = 0x0a;
const CR = 0x0d;

/** Splits a JSON Lines file. LF and CRLF end a line; a byte order mark at the start and blank lines are skipped. */
export function* splitLines(file: Uint8Array): Generator<RecordLine> {
  let start = hasByteOrderMark(file) ? 3 : 0;
  let line = 0;
  let record = 0;
  while (start < file.length) {
    const found = file.indexOf(LF, start);
    const next = found < 0 ? file.length : found;
    const end = next > start && file[next - 1] === CR ? next - 1 : next;
    line += 1;
    const bytes = file.subarray(start, end);
    if (!isBlank(bytes)) yield { line, record: record++, bytes };
    start = next + 1;
  }
}

function hasByteOrderMark(bytes: Uint8Array): boolean {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
}

function isBlank(bytes: Uint8Array): boolean {
  return bytes.every((byte) => byte === 0x20 || byte === 0x09 || byte === CR);
}

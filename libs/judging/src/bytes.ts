const SPACE = 0x20;
const LF = 0x0a;
const CR = 0x0d;
const TAB = 0x09;

/** ASCII white space as C's isspace sees it: blank, \t, \n, \v, \f, \r. Nothing beyond ASCII separates tokens. */
function isWhitespace(byte: number): boolean {
  return byte === SPACE || (byte >= TAB && byte <= CR);
}

/** The runs of bytes between white space, as views of `bytes`. */
export function tokensOf(bytes: Uint8Array): Uint8Array[] {
  const tokens: Uint8Array[] = [];
  let start = -1;
  for (let at = 0; at < bytes.length; at++) {
    if (isWhitespace(bytes[at] as number)) {
      if (start >= 0) tokens.push(bytes.subarray(start, at));
      start = -1;
    } else if (start < 0) start = at;
  }
  if (start >= 0) tokens.push(bytes.subarray(start));
  return tokens;
}

/**
 * Lines split at LF alone (never at \v, \x85 or U+2028), each without trailing blanks, tabs and CR; trailing empty
 * lines are dropped. Leading blanks stay.
 */
export function linesOf(bytes: Uint8Array): Uint8Array[] {
  const lines: Uint8Array[] = [];
  let start = 0;
  for (let at = 0; at <= bytes.length; at++) {
    if (at < bytes.length && bytes[at] !== LF) continue;
    let end = at;
    while (end > start && isTrailing(bytes[end - 1] as number)) end--;
    lines.push(bytes.subarray(start, end));
    start = at + 1;
  }
  while (lines.length > 0 && lines[lines.length - 1]?.length === 0) lines.pop();
  return lines;
}

function isTrailing(byte: number): boolean {
  return byte === SPACE || byte === TAB || byte === CR;
}

/** Equality byte by byte; `ignoreCase` folds the ASCII letters only. */
export function sameBytes(a: Uint8Array, b: Uint8Array, ignoreCase = false): boolean {
  if (a.length !== b.length) return false;
  for (let at = 0; at < a.length; at++) {
    const x = a[at] as number;
    const y = b[at] as number;
    if (x !== y && !(ignoreCase && lower(x) === lower(y))) return false;
  }
  return true;
}

function lower(byte: number): number {
  return byte >= 0x41 && byte <= 0x5a ? byte + 0x20 : byte;
}

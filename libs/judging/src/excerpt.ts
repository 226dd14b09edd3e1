const decoder = new TextDecoder('utf-8', { fatal: false });

/**
 * A short, printable piece of foreign bytes for a person to read: decoded as UTF-8 with replacement, control
 * characters (NUL, escape, carriage return …) shown as \xNN, at most `limit` characters and a mark where it was cut.
 * Safe for a database's text column, a log line and a terminal.
 */
export function excerpt(bytes: Uint8Array | string, limit = 200): string {
  const cut = typeof bytes === 'string' ? bytes.slice(0, limit * 2) : decoder.decode(bytes.subarray(0, limit * 4));
  const printable = cut.replace(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028\u2029\ud800-\udfff]/gu, (character) => {
    return `\\x${(character.codePointAt(0) ?? 0).toString(16).padStart(2, '0')}`;
  });
  const short = printable.length > limit ? printable.slice(0, limit) : printable;
  return short.length < printable.length || bytes.length > cut.length * 4 ? `${short}…` : short;
}

/** Bounds of what is taken in; each is named in `docs/formats.md`. Sizes are in bytes of UTF-8. */
export const limits = {
  recordBytes: 16 * 1024 * 1024,
  jsonDepth: 128,
  statementBytes: 256 * 1024,
  codeBytes: 1024 * 1024,
  outputBytes: 1024 * 1024,
  titleCharacters: 500,
  recordIdCharacters: 500,
  namespaceCharacters: 200,
  nameCharacters: 200,
  textCharacters: 2000,
  /** Starter code travels inside every event of the problem, which stays under 256 KiB; so do facets. */
  starterCodeBytes: 64 * 1024,
  facetNames: 32,
  facetCharacters: 500,
  references: 64,
  cases: 100_000,
  attempts: 1024,
  /** Faults reported of one record; a record with 100,000 bad cases says the same thing 100,000 times. */
  faults: 50,
} as const;

/** Bytes that `text` takes as UTF-8, without building them. */
export function utf8Length(text: string): number {
  let bytes = text.length;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit > 0x7f) bytes += unit > 0x7ff ? 2 : 1;
    // A pair takes 4 bytes: 3 were counted for its first half, the second counts as the one that it has already.
    if (unit >= 0xd800 && unit <= 0xdbff && isLowSurrogate(text.charCodeAt(i + 1))) i += 1;
  }
  return bytes;
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}

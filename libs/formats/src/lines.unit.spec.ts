import { describe, expect, it } from 'vitest';
import { splitLines } from './lines.ts';

const lines = (text: string) =>
  [...splitLines(new TextEncoder().encode(text))].map((one) => [
    one.line,
    one.record,
    new TextDecoder().decode(one.bytes),
  ]);

describe('the lines of a file', () => {
  it('are numbered from 1, their records from 0, blank ones skipped', () => {
    expect(lines('a\n\n  \nb\n')).toEqual([
      [1, 0, 'a'],
      [4, 1, 'b'],
    ]);
  });
  it('may end in CRLF, and the last one in nothing', () => {
    expect(lines('a\r\nb')).toEqual([
      [1, 0, 'a'],
      [2, 1, 'b'],
    ]);
  });
  it('come without a byte order mark', () => {
    expect(lines('\uFEFFa\nb')).toEqual([
      [1, 0, 'a'],
      [2, 1, 'b'],
    ]);
  });
  it('are none in an empty file', () => {
    expect(lines('')).toEqual([]);
  });
});

import { describe, expect, it } from 'vitest';
import { comeBackMs } from './retry-after.ts';

const now = Date.UTC(2026, 10, 30, 12, 0, 0);

describe('Retry-After', () => {
  it.each([
    ['3', 3000],
    [' 0.5 ', 500],
    ['Mon, 30 Nov 2026 12:00:10 GMT', 10_000],
    ['Mon, 30 Nov 2026 11:00:00 GMT', 0],
    ['999999999', 86_400_000],
    ['soon', undefined],
    ['', undefined],
    [null, undefined],
    ['-5', undefined],
  ])('%j is %s ms', (header, expected) => {
    if (header === '-5') {
      // Some readers of dates take it for a year; it must at least not be a wait.
      expect(comeBackMs(header, now) ?? 0).toBe(0);
    } else {
      expect(comeBackMs(header, now)).toBe(expected);
    }
  });
});

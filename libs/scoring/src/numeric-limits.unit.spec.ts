import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { numericLimitsOf } from './numeric-limits.ts';

const size = (value: number) => ({ value, size: true });
const bound = (value: number) => ({ value, size: false });

describe('numeric limits', () => {
  it.each([
    ['(1 ≤ n ≤ 2·10^5)', [size(200000)]],
    ['1 <= n <= 100,000', [size(100000)]],
    ['$1 \\le m \\le 10^{18}$', [size(1e18)]],
    ['n ≤ 10⁵', [size(100000)]],
    ['up to 100000 readings', [size(100000)]],
    ['at most 10**4 assignments', [size(10000)]],
    ['0 ≤ d ≤ 10^4', [bound(10000)]],
    ['each between 0 and 10^9.', [bound(1e9)]],
    ['1 ≤ n ≤ 1e6', [size(1e6)]],
    ['0 ≤ x ≤ 2.5', []],
  ])('are read from %s', (text, expected) => {
    expect(numericLimitsOf(text).filter((limit) => limit.value > 1)).toEqual(expected);
  });

  it('leave numbers alone that bound nothing', () => {
    expect(numericLimitsOf('In 1999 they had 25 ships; print the answer modulo 1000000007.')).toEqual([]);
    expect(numericLimitsOf('')).toEqual([]);
  });

  it('are always at least 1 and finite, whatever the text', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom(...'0123456789^*·≤<= {}$nm10, at most up to'.split('')) }),
        (text) => {
          for (const { value } of numericLimitsOf(text)) {
            expect(value).toBeGreaterThanOrEqual(1);
            expect(Number.isFinite(value)).toBe(true);
          }
        },
      ),
    );
  });

  it('are found in a time that grows with the text, not its square', { timeout: 20_000 }, () => {
    // With a pattern that tries every end for every start, any of these takes minutes and the spec runs out of time.
    for (const unit of ['≤ 10^', '1,000', '7', '9 ', '1_', '10^{']) {
      expect(numericLimitsOf(unit.repeat(40_000)).length).toBeLessThanOrEqual(40_000);
    }
  });
});

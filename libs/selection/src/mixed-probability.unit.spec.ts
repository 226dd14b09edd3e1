import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mixedProbability } from './mixed-probability.ts';

const shape = fc.double({ min: 0.01, max: 500, noNaN: true });
const groupSize = fc.integer({ min: 2, max: 64 });

describe('the chance of mixed outcomes', () => {
  it('has the values that integration gives under a flat prior: 1 - 2/(G+1)', () => {
    for (const g of [2, 4, 8, 16]) expect(mixedProbability(1, 1, g)).toBeCloseTo(1 - 2 / (g + 1), 12);
  });

  it('is .83 for G = 8 at a known pass rate of .8, and flat in the middle', () => {
    // 1 - .8^8 - .2^8 = .8322
    expect(mixedProbability(8e6, 2e6, 8)).toBeCloseTo(0.8322, 4);
    expect(mixedProbability(5e6, 5e6, 8)).toBeCloseTo(0.9922, 4);
  });

  it('lies between 0 and 1, and nothing is mixed in a group of one', () => {
    fc.assert(
      fc.property(shape, shape, groupSize, (a, b, g) => {
        const value = mixedProbability(a, b, g);
        expect(value).toBeGreaterThanOrEqual(0);
        expect(value).toBeLessThanOrEqual(1);
        expect(mixedProbability(a, b, 1)).toBeCloseTo(0, 12);
      }),
    );
  });

  it('does not care which outcome is called a pass', () => {
    fc.assert(
      fc.property(shape, shape, groupSize, (a, b, g) => {
        expect(mixedProbability(a, b, g)).toBeCloseTo(mixedProbability(b, a, g), 12);
      }),
    );
  });

  it('rises with the size of the group', () => {
    fc.assert(
      fc.property(shape, shape, groupSize, (a, b, g) => {
        expect(mixedProbability(a, b, g + 1)).toBeGreaterThanOrEqual(mixedProbability(a, b, g) - 1e-12);
      }),
    );
  });

  it.each([
    [0, 1, 8],
    [1, -1, 8],
    [Number.NaN, 1, 8],
    [1, 1, 0],
    [1, 1, 2.5],
  ])('refuses Beta(%d, %d) with groups of %d', (a, b, g) => {
    expect(() => mixedProbability(a, b, g)).toThrow(RangeError);
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { meanPassAtK, passAtK } from './pass-at-k.ts';
import { beyond, golden } from './testing/golden.ts';

const counted = fc
  .integer({ min: 1, max: 300 })
  .chain((n) => fc.record({ n: fc.constant(n), c: fc.integer({ min: 0, max: n }), k: fc.integer({ min: 1, max: n }) }));

describe('pass@k', () => {
  it('equals the exact fraction of binomial coefficients', () => {
    expect(beyond(golden.passAtK, 1e-13, (g) => Math.abs(passAtK(g.n, g.c, g.k) - g.value)).slice(0, 5)).toEqual([]);
  });

  it('lies in 0 … 1, and is the pass rate at k = 1', () => {
    fc.assert(
      fc.property(counted, ({ n, c, k }) => {
        expect(passAtK(n, c, k)).toBeGreaterThanOrEqual(0);
        expect(passAtK(n, c, k)).toBeLessThanOrEqual(1);
        expect(passAtK(n, c, 1)).toBeCloseTo(c / n, 12);
      }),
    );
  });

  it('rises with c', () => {
    fc.assert(
      fc.property(counted, ({ n, c, k }) => {
        fc.pre(c < n);
        expect(passAtK(n, c + 1, k)).toBeGreaterThanOrEqual(passAtK(n, c, k) - 1e-12);
        if (c === 0) expect(passAtK(n, 1, k)).toBeGreaterThan(0);
      }),
    );
  });

  it('rises with k', () => {
    fc.assert(
      fc.property(counted, ({ n, c, k }) => {
        fc.pre(k < n);
        expect(passAtK(n, c, k + 1)).toBeGreaterThanOrEqual(passAtK(n, c, k) - 1e-12);
      }),
    );
  });

  it.each([
    [4, 1, 5],
    [4, 5, 1],
    [4, -1, 1],
    [4, 1, 0],
    [4.5, 1, 1],
  ])('refuses n %d, c %d, k %d', (n, c, k) => {
    expect(() => passAtK(n, c, k)).toThrow(RangeError);
  });

  it('averages over problems and says how many had too few attempts', () => {
    const counts = [
      { attempts: 8, passes: 4 },
      { attempts: 8, passes: 0 },
      { attempts: 2, passes: 2 },
    ];
    expect(meanPassAtK(counts, 4)).toEqual({ mean: (1 - 1 / 70) / 2, problems: 2, leftOut: 1 });
    expect(meanPassAtK([], 1).mean).toBeUndefined();
  });
});

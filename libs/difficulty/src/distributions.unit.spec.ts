import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { betaQuantile } from './beta-quantile.ts';
import { incompleteBeta, incompleteBetaUpper } from './incomplete-beta.ts';
import { equalTailedInterval, highestDensityInterval, wilsonInterval } from './intervals.ts';
import { logBeta } from './stirling.ts';
import { beyond, errorOf, golden } from './testing/golden.ts';

const shape = fc.double({ min: 0.05, max: 5000, noNaN: true });
const rate = fc.double({ min: 0, max: 1, noNaN: true });

describe('incomplete beta', () => {
  it('equals SciPy on both tails', () => {
    expect(
      beyond(golden.incompleteBeta, 2e-11, (g) => errorOf(incompleteBeta(g.x, g.a, g.b), g.lower)).slice(0, 5),
    ).toEqual([]);
    expect(
      beyond(golden.incompleteBeta, 2e-11, (g) => errorOf(incompleteBetaUpper(g.x, g.a, g.b), g.upper)).slice(0, 5),
    ).toEqual([]);
  });

  it('is the binomial tail for whole shapes: P(p <= x) under Beta(c, n - c + 1) is P(at least c of n)', () => {
    // 2 of 3 at p = .5: 3/8 + 1/8.
    expect(incompleteBeta(0.5, 2, 2)).toBeCloseTo(0.5, 14);
    // At least 1 of 8 at p = .125: 1 - .875^8.
    expect(incompleteBeta(0.125, 1, 8)).toBeCloseTo(1 - 0.875 ** 8, 14);
  });

  it('rises with x, and both tails sum to 1', () => {
    fc.assert(
      fc.property(shape, shape, rate, rate, (a, b, x, y) => {
        const [low, high] = x < y ? [x, y] : [y, x];
        expect(incompleteBeta(low, a, b)).toBeLessThanOrEqual(incompleteBeta(high, a, b) + 1e-13);
        expect(incompleteBeta(x, a, b) + incompleteBetaUpper(x, a, b)).toBeCloseTo(1, 12);
      }),
    );
  });

  it.each([
    [0, 1],
    [1, -1],
    [Number.NaN, 1],
    [1, Number.POSITIVE_INFINITY],
  ])('refuses the shapes %d and %d', (a, b) => {
    expect(() => incompleteBeta(0.5, a, b)).toThrow(RangeError);
  });
});

describe('log beta', () => {
  it('equals SciPy', () => {
    // ln B passes through zero (B(1, 1) = 1): an absolute bound there.
    expect(
      beyond(
        golden.logBeta,
        1e-12,
        (g) => Math.abs(logBeta(g.a, g.b) - g.value) / Math.max(1, Math.abs(g.value)),
      ).slice(0, 5),
    ).toEqual([]);
  });
});

describe('quantile', () => {
  it('equals SciPy where the answer is a double of full precision', () => {
    const rows = golden.quantile.filter((g) => g.value > 1e-200);
    expect(rows.length).toBeGreaterThan(900);
    expect(beyond(rows, 1e-9, (g) => errorOf(betaQuantile(g.mass, g.a, g.b), g.value)).slice(0, 5)).toEqual([]);
  });

  it('inverts the distribution function', () => {
    fc.assert(
      fc.property(
        // Below 1 the density is unbounded at an end: there the last bit of x is worth more than 1e-8 of mass.
        fc.double({ min: 1, max: 5000, noNaN: true }),
        fc.double({ min: 1, max: 5000, noNaN: true }),
        fc.double({ min: 1e-6, max: 1 - 1e-6, noNaN: true }),
        (a, b, mass) => {
          expect(incompleteBeta(betaQuantile(mass, a, b), a, b)).toBeCloseTo(mass, 8);
        },
      ),
    );
  });

  it('has the ends of the unit interval at masses 0 and 1', () => {
    expect([betaQuantile(0, 2, 3), betaQuantile(1, 2, 3)]).toEqual([0, 1]);
  });
});

describe('Wilson interval', () => {
  it('equals SciPy', () => {
    expect(
      beyond(golden.wilson, 1e-12, (g) => {
        const { low, high } = wilsonInterval(g.c, g.n);
        return Math.max(Math.abs(low - g.value[0]), Math.abs(high - g.value[1]));
      }),
    ).toEqual([]);
  });

  it('has the upper bounds .32, .19 and .11 for no pass in 8, 16 and 32', () => {
    expect([8, 16, 32].map((n) => wilsonInterval(0, n).high.toFixed(2))).toEqual(['0.32', '0.19', '0.11']);
  });

  it('knows nothing without attempts', () => {
    expect(wilsonInterval(0, 0)).toEqual({ low: 0, high: 1 });
  });
});

describe('highest-density interval', () => {
  it('equals the narrowest interval that a minimiser over SciPy quantiles finds', () => {
    // A flat minimum: the minimiser's own error is about the square root of the double precision.
    expect(
      beyond(golden.highestDensity, 2e-6, (g) => {
        const { low, high } = highestDensityInterval({ alpha: g.a, beta: g.b }, g.mass);
        return Math.max(Math.abs(low - g.value[0]), Math.abs(high - g.value[1]));
      }).slice(0, 5),
    ).toEqual([]);
  });

  it('holds p = 0 after nothing but failures, which an equal-tailed interval does not', () => {
    expect(highestDensityInterval({ alpha: 1, beta: 17 }).low).toBe(0);
    expect(equalTailedInterval({ alpha: 1, beta: 17 }).low).toBeGreaterThan(0);
    expect(highestDensityInterval({ alpha: 17, beta: 1 }).high).toBe(1);
  });

  it.each([
    [1 + 1e-12, 1 + 1e-7],
    [1.001, 11],
    [1.01, 3001],
    [1.1, 51],
    [51, 1.1],
  ])('holds its mass where an end comes very near 0 or 1: Beta(%d, %d)', (alpha, beta) => {
    for (const mass of [0.3, 0.9, 0.99]) {
      const { low, high } = highestDensityInterval({ alpha, beta }, mass);
      expect(incompleteBeta(high, alpha, beta) - incompleteBeta(low, alpha, beta)).toBeCloseTo(mass, 9);
    }
  });

  it('holds its mass and is never wider than the equal-tailed one', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 1, max: 3000, noNaN: true }),
        fc.double({ min: 1, max: 3000, noNaN: true }),
        fc.double({ min: 0.3, max: 0.99, noNaN: true }),
        (alpha, beta, mass) => {
          const { low, high } = highestDensityInterval({ alpha, beta }, mass);
          const other = equalTailedInterval({ alpha, beta }, mass);
          expect(incompleteBeta(high, alpha, beta) - incompleteBeta(low, alpha, beta)).toBeCloseTo(mass, 7);
          expect(high - low).toBeLessThanOrEqual(other.high - other.low + 1e-9);
        },
      ),
    );
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type Dimensions,
  dimensionNames,
  meanDimensions,
  publishedWeights,
  scoreOf,
  weightedScore,
} from './dimensions.ts';

const level = fc.integer({ min: 1, max: 5 });
const dimensions: fc.Arbitrary<Dimensions> = fc.record({ pcd: level, kbr: level, atc: level, id: level, od: level });

describe('the weighted score', () => {
  it("is the paper's: dimensions 4, 2, 3, 3, 3 give 3.0", () => {
    expect(weightedScore({ pcd: 4, kbr: 2, atc: 3, id: 3, od: 3 })).toBe(3);
  });

  it('is the mean of the assessments: 3.0, 3.0 and 3.1 give 3.03', () => {
    const plain = { pcd: 4, kbr: 2, atc: 3, id: 3, od: 3 };
    expect(scoreOf([plain, plain, { ...plain, od: 4 }])).toBeCloseTo(3.0333333, 6);
  });

  it('has weights that sum to one', () => {
    const { pcd, kbr, atc, id, od } = publishedWeights;
    expect(pcd + kbr + atc + id + od).toBeCloseTo(1, 12);
  });

  it('lies between the least and the greatest dimension, and rises with each of them', () => {
    fc.assert(
      fc.property(dimensions, fc.constantFrom('pcd', 'kbr', 'atc', 'id', 'od'), (given, name) => {
        const score = weightedScore(given);
        expect(score).toBeGreaterThanOrEqual(Math.min(...dimensionNames.map((each) => given[each])) - 1e-9);
        expect(score).toBeLessThanOrEqual(Math.max(...dimensionNames.map((each) => given[each])) + 1e-9);
        expect(weightedScore({ ...given, [name]: given[name] + 1 })).toBeGreaterThan(score);
      }),
    );
  });

  it('does not depend on the order of the assessments', () => {
    fc.assert(
      fc.property(fc.array(dimensions, { minLength: 1, maxLength: 5 }), (assessments) => {
        const backwards = [...assessments].reverse();
        expect(scoreOf(backwards)).toBeCloseTo(scoreOf(assessments), 9);
        expect(meanDimensions(backwards).atc).toBeCloseTo(meanDimensions(assessments).atc, 9);
      }),
    );
  });

  it('refuses a mean of nothing', () => {
    expect(() => scoreOf([])).toThrow(RangeError);
  });
});

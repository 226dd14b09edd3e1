import { create } from '@bufbuild/protobuf';
import { CalibrationPublishedSchema } from '@tidemark/proto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { priorOf } from './prior-of.ts';

const curved = create(CalibrationPublishedSchema, {
  priorAlpha: 1,
  priorBeta: 1,
  priorStrength: 4,
  curve: [
    { score: 1, passRate: 0.9 },
    { score: 3, passRate: 0.5 },
    { score: 5, passRate: 0.1 },
  ],
});
const weak = create(CalibrationPublishedSchema, { priorAlpha: 2, priorBeta: 3 });

describe('the prior of an unmeasured problem', () => {
  it('is flat before any calibration', () => {
    expect(priorOf(undefined, 2.5)).toEqual({ alpha: 1, beta: 1 });
  });

  it("is the calibration's constant where it has no curve, or the problem no score", () => {
    expect(priorOf(weak, 2.5)).toEqual({ alpha: 2, beta: 3 });
    expect(priorOf(curved, undefined)).toEqual({ alpha: 1, beta: 1 });
  });

  it.each([
    [1, 0.9],
    [2, 0.7],
    [3, 0.5],
    [4.5, 0.2],
    [0.5, 0.9],
    [6, 0.1],
  ])('follows the curve: score %d has mean %d', (score, mean) => {
    const { alpha, beta } = priorOf(curved, score);
    expect(alpha + beta).toBeCloseTo(4, 12);
    expect(alpha / (alpha + beta)).toBeCloseTo(mean, 12);
  });

  it('never says 0 or 1, which evidence could not move', () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 6, noNaN: true }), fc.constantFrom(0, 1), (score, passRate) => {
        const certain = create(CalibrationPublishedSchema, { priorStrength: 4, curve: [{ score: 2, passRate }] });
        const { alpha, beta } = priorOf(certain, score);
        expect(alpha).toBeGreaterThan(0);
        expect(beta).toBeGreaterThan(0);
      }),
    );
  });
});

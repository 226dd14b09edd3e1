import { describe, expect, it } from 'vitest';
import { betaShape } from './beta.ts';

const peakOf = (alpha: number, beta: number) =>
  betaShape(alpha, beta, 1_000).reduce((best, point) => (point.density > best.density ? point : best)).x;

describe('the shape of a posterior', () => {
  it('is highest at the mode', () => {
    expect(peakOf(3, 7)).toBeCloseTo(2 / 8, 2);
    expect(peakOf(700, 301)).toBeCloseTo(699 / 999, 2);
  });

  it('is flat without evidence', () => {
    expect(betaShape(1, 1, 10).every(({ density }) => density === 1)).toBe(true);
  });

  it('stays finite where mass piles up at the ends', () => {
    for (const { density } of betaShape(0.1, 5_000, 200)) expect(density).toBeLessThanOrEqual(1);
  });
});

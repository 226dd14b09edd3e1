import { betaKernel, incompleteBeta, incompleteBetaUpper } from './incomplete-beta.ts';

const MAX_STEPS = 400;

/**
 * The quantile of Beta(a, b): the least x with P(p <= x) >= mass.
 *
 * Newton's step on the distribution function, replaced by a bisection whenever it would leave the bracket; on the upper
 * half it works on the upper tail, so that quantiles near 1 keep their digits.
 *
 * @param mass clamped to 0 … 1
 * @throws RangeError when a or b is not a positive finite number, or mass is not a number
 */
export function betaQuantile(mass: number, a: number, b: number): number {
  if (Number.isNaN(mass)) throw new RangeError('mass must be a number');
  if (mass <= 0) return 0;
  if (mass >= 1) return 1;
  const upper = mass > 0.5;
  /** How far the distribution function at x lies above `mass`: rises with x. */
  const excess = upper
    ? (x: number) => 1 - mass - incompleteBetaUpper(x, a, b)
    : (x: number) => incompleteBeta(x, a, b) - mass;
  let low = 0;
  let high = 1;
  let x = a / (a + b);
  for (let step = 0; step < MAX_STEPS; step++) {
    const error = excess(x);
    if (error === 0) return x;
    if (error > 0) high = x;
    else low = x;
    const density = betaKernel(x, 1 - x, a, b) / (x * (1 - x));
    const newton = x - error / density;
    const next = newton > low && newton < high ? newton : middle(low, high);
    if (Math.abs(next - x) <= 4e-16 * x || high - low <= 2e-16 * high) return next;
    x = next;
  }
  return x;
}

/** Geometric while the bracket spans magnitudes, so that quantiles like 1e-80 are reached in tens of steps. */
function middle(low: number, high: number): number {
  if (low > 0 && high / low > 16) return Math.sqrt(low * high);
  if (low === 0 && high < 0.01) return high * high;
  return low + (high - low) / 2;
}

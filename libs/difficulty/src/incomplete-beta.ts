import { deviance, stirlingRemainder } from './stirling.ts';

const TINY = 1e-300;
const EPSILON = 1e-16;
/** The fraction needs about sqrt(max(a, b)) steps; this bound serves parameters far beyond 10^9 attempts. */
const MAX_STEPS = 200_000;

/**
 * The regularised incomplete beta function I_x(a, b): P(p <= x) when p is Beta(a, b).
 *
 * A continued fraction by the modified Lentz algorithm (Thompson and Barnett 1986), with the reflection
 * I_x(a, b) = 1 - I_(1-x)(b, a) (DLMF 8.17.4) on the side where it converges slowly.
 *
 * @param x clamped to 0 … 1
 * @param a > 0
 * @param b > 0
 * @throws RangeError when a or b is not a positive finite number, or x is not a number
 */
export function incompleteBeta(x: number, a: number, b: number): number {
  requireShape(a, b);
  if (Number.isNaN(x)) throw new RangeError('x must be a number');
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  return tail(x, 1 - x, a, b);
}

/**
 * 1 - I_x(a, b) = P(p > x), without the cancellation of subtracting from 1 when it is small.
 *
 * @throws RangeError as `incompleteBeta`
 */
export function incompleteBetaUpper(x: number, a: number, b: number): number {
  requireShape(a, b);
  if (Number.isNaN(x)) throw new RangeError('x must be a number');
  if (x <= 0) return 1;
  if (x >= 1) return 0;
  return tail(1 - x, x, b, a);
}

/** I_x(a, b) given both x and y = 1 - x. */
function tail(x: number, y: number, a: number, b: number): number {
  return x < (a + 1) / (a + b + 2) ? lowerTail(x, y, a, b) : 1 - lowerTail(y, x, b, a);
}

function lowerTail(x: number, y: number, a: number, b: number): number {
  return betaKernel(x, y, a, b) * continuedFraction(x, y, a, b);
}

/**
 * x^a y^b / B(a, b) for y = 1 - x, by deviances and Stirling remainders, so that large shapes keep their digits.
 * Times 1 / (x y) it is the Beta density.
 */
export function betaKernel(x: number, y: number, a: number, b: number): number {
  const n = a + b;
  const excess = meanExcess(x, y, a, b);
  const exponent =
    -deviance(a, n * x, excess) -
    deviance(b, n * y, -excess) +
    stirlingRemainder(n) -
    stirlingRemainder(a) -
    stirlingRemainder(b);
  return Math.sqrt((a * b) / (2 * Math.PI * n)) * Math.exp(exponent);
}

/**
 * I_x(a, b) divided by the kernel, for x at most a little above the mean: alpha1 / (beta1 + alpha2 / (beta2 + …)).
 *
 * The form of Didonato and Morris (1992, ACM TOMS 18:360-373, BFRAC) works with a - (a + b) x, which is known without
 * cancellation, where the classical fraction (DLMF 8.17.22) subtracts numbers near 1.
 */
function continuedFraction(x: number, y: number, a: number, b: number): number {
  const excess = meanExcess(x, y, a, b);
  const beta1 = awayFromZero((a * (excess + 1)) / (a + 1));
  let f = beta1;
  let c = beta1;
  let d = 0;
  for (let n = 1; n <= MAX_STEPS; n++) {
    const at = a + 2 * n - 1;
    const numerator = ((a + n - 1) / at) * ((a + b + n - 1) / at) * n * (b - n) * x * x;
    const denominator = n + (n * (b - n) * x) / at + ((a + n) / (at + 2)) * (excess + 1 + n * (1 + y));
    d = 1 / awayFromZero(denominator + numerator * d);
    c = awayFromZero(denominator + numerator / c);
    const step = c * d;
    f *= step;
    if (Math.abs(step - 1) <= EPSILON) break;
  }
  return 1 / f;
}

/** a - (a + b) x for y = 1 - x, from the smaller of x and y, which loses no digits. */
function meanExcess(x: number, y: number, a: number, b: number): number {
  return x < y ? a - (a + b) * x : (a + b) * y - b;
}

function awayFromZero(value: number): number {
  return Math.abs(value) < TINY ? TINY : value;
}

function requireShape(a: number, b: number): void {
  if (!(a > 0 && Number.isFinite(a) && b > 0 && Number.isFinite(b)))
    throw new RangeError(`Beta shapes must be positive and finite, got ${a} and ${b}`);
}

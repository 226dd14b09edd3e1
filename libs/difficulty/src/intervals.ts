import type { Beta } from './beta.ts';
import { betaQuantile } from './beta-quantile.ts';
import { betaKernel } from './incomplete-beta.ts';

/** A closed interval of pass rates: 0 <= low <= high <= 1. */
export interface Interval {
  readonly low: number;
  readonly high: number;
}

/** The 97.5% quantile of the standard normal distribution: the z of a two-sided 95% interval. */
export const Z_95 = 1.959963984540054;

/**
 * Wilson's score interval of a pass rate from c passes in n attempts.
 *
 * (c + z^2/2)/(n + z^2) -+ z/(n + z^2) sqrt(c (n - c)/n + z^2/4). Source: E. B. Wilson 1927, JASA 22:209-212.
 * With n = 0 it is 0 … 1.
 *
 * @param z the two-sided normal quantile; `Z_95` for 95%
 * @throws RangeError when not 0 <= c <= n or z <= 0
 */
export function wilsonInterval(c: number, n: number, z: number = Z_95): Interval {
  if (!(c >= 0 && c <= n && Number.isFinite(n))) throw new RangeError(`0 <= c <= n expected, got c ${c}, n ${n}`);
  if (!(z > 0)) throw new RangeError(`z must be positive, got ${z}`);
  if (n === 0) return { low: 0, high: 1 };
  const zz = z * z;
  const centre = (c + zz / 2) / (n + zz);
  const half = (z / (n + zz)) * Math.sqrt((c * (n - c)) / n + zz / 4);
  // At c = 0 and c = n the formula gives the end exactly; rounding must not leave the unit interval.
  return { low: c === 0 ? 0 : Math.max(0, centre - half), high: c === n ? 1 : Math.min(1, centre + half) };
}

/**
 * The interval that leaves (1 - mass) / 2 on either side. It can never hold p = 0 or p = 1.
 *
 * @param mass in the open interval 0 … 1
 * @throws RangeError otherwise
 */
export function equalTailedInterval({ alpha, beta }: Beta, mass = 0.95): Interval {
  requireMass(mass);
  const tail = (1 - mass) / 2;
  return { low: betaQuantile(tail, alpha, beta), high: betaQuantile(1 - tail, alpha, beta) };
}

/**
 * The shortest interval that holds `mass`: no rate outside it is more likely than one inside it.
 *
 * When the density falls all the way (alpha <= 1 <= beta) it starts at 0, and when it rises all the way it ends at 1, so
 * it holds the rates p = 0 and p = 1 that equal-tailed intervals miss. For shapes without one highest region (flat, or
 * heaped at both ends) it is the equal-tailed interval.
 *
 * @param mass in the open interval 0 … 1
 * @throws RangeError otherwise
 */
export function highestDensityInterval(distribution: Beta, mass = 0.95): Interval {
  requireMass(mass);
  const { alpha, beta } = distribution;
  if ((alpha === 1 && beta === 1) || (alpha < 1 && beta < 1)) return equalTailedInterval(distribution, mass);
  if (alpha <= 1) return { low: 0, high: betaQuantile(mass, alpha, beta) };
  if (beta <= 1) return { low: betaQuantile(1 - mass, alpha, beta), high: 1 };
  if (alpha <= beta) return unimodalHighestDensity(alpha, beta, mass);
  const mirrored = unimodalHighestDensity(beta, alpha, mass);
  return { low: 1 - mirrored.high, high: 1 - mirrored.low };
}

/**
 * Both shapes above 1, a <= b: finds the mass l below the interval at which both ends have the same density. The log ratio
 * of the two densities rises with l, from minus to plus infinity; Newton's step, kept within a bracket. Whatever l is
 * reached, the interval holds `mass`.
 */
function unimodalHighestDensity(a: number, b: number, mass: number): Interval {
  let under = 0;
  let over = 1 - mass;
  let l = over / 2;
  let low = betaQuantile(l, a, b);
  let high = betaQuantile(l + mass, a, b);
  for (let step = 0; step < 60; step++) {
    const logRatio = (a - 1) * Math.log(low / high) + (b - 1) * (Math.log1p(-low) - Math.log1p(-high));
    if (logRatio > 0) over = l;
    else under = l;
    const rate = slope(low, a, b) / density(low, a, b) - slope(high, a, b) / density(high, a, b);
    const newton = l - logRatio / rate;
    const next = newton > under && newton < over ? newton : (under + over) / 2;
    if (Math.abs(next - l) <= 1e-13) break;
    l = next;
    low = betaQuantile(l, a, b);
    high = betaQuantile(l + mass, a, b);
  }
  return { low, high };
}

/** Of Beta(a, b). */
function density(p: number, a: number, b: number): number {
  return betaKernel(p, 1 - p, a, b) / (p * (1 - p));
}

/** d/dp of the log density. */
function slope(p: number, a: number, b: number): number {
  return (a - 1) / p - (b - 1) / (1 - p);
}

function requireMass(mass: number): void {
  if (!(mass > 0 && mass < 1)) throw new RangeError(`a mass lies between 0 and 1, got ${mass}`);
}

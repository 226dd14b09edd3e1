/**
 * A Beta distribution over a pass rate p, in 0 … 1.
 *
 * `alpha` and `beta` are the usual shapes: prior strength plus (discounted) passes, and plus (discounted) failures.
 * Both are positive and finite.
 */
export interface Beta {
  readonly alpha: number;
  readonly beta: number;
}

/** E[p] = alpha / (alpha + beta). */
export function betaMean({ alpha, beta }: Beta): number {
  return alpha / (alpha + beta);
}

/** Var[p] = alpha beta / ((alpha + beta)^2 (alpha + beta + 1)). */
export function betaVariance({ alpha, beta }: Beta): number {
  const n = alpha + beta;
  return (alpha * beta) / (n * n * (n + 1));
}

/**
 * The prior Beta(m p, m (1 - p)): mean p, worth m attempts.
 *
 * @param mean in the open interval 0 … 1
 * @param strength m > 0, in attempts
 * @throws RangeError otherwise
 */
export function betaFromMean(mean: number, strength: number): Beta {
  if (!(mean > 0 && mean < 1)) throw new RangeError(`a prior mean lies between 0 and 1, got ${mean}`);
  if (!(strength > 0 && Number.isFinite(strength)))
    throw new RangeError(`a prior strength is positive, got ${strength}`);
  return { alpha: strength * mean, beta: strength * (1 - mean) };
}

/** The prior when nothing is known: Beta(1, 1), every pass rate alike. */
export const FLAT_PRIOR: Beta = { alpha: 1, beta: 1 };

/**
 * How hard a problem is for a model, from counts alone: no clock, no storage, no randomness.
 *
 * - `pass-at-k`: the estimator of Chen et al. 2021
 * - `beta`, `incomplete-beta`, `beta-quantile`, `stirling`: the Beta distribution, to nearly full double precision
 * - `intervals`: Wilson, equal-tailed, highest density
 * - `evidence`: groups of attempts become counts, each id once
 * - `posterior`: dated counts become a Beta posterior
 * - `bins`, `move`: ranges of the pass rate, and when a problem moves between them
 */
export { type Beta, betaFromMean, betaMean, betaVariance, FLAT_PRIOR } from './beta.ts';
export { betaQuantile } from './beta-quantile.ts';
export {
  BINS,
  type Bin,
  type BinMasses,
  type BinSettings,
  binMasses,
  binOfRate,
  binSettingsFaults,
  binSettingsOf,
  DEFAULT_BIN_SETTINGS,
  type RateBin,
} from './bins.ts';
export {
  type Attempt,
  addCounts,
  type Counts,
  countGroup,
  type Finding,
  type GroupToCount,
  NO_COUNTS,
  tally,
} from './evidence.ts';
export { incompleteBeta, incompleteBetaUpper } from './incomplete-beta.ts';
export { equalTailedInterval, highestDensityInterval, type Interval, wilsonInterval, Z_95 } from './intervals.ts';
export { type BinDecision, type BinEvidence, decideBin, type MoveReason, type Standing } from './move.ts';
export { meanPassAtK, passAtK } from './pass-at-k.ts';
export { type AgedCounts, DEFAULT_RETENTION, type Posterior, posteriorOf } from './posterior.ts';
export { logBeta } from './stirling.ts';

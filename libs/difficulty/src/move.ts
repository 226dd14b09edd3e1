import { type Beta, betaMean } from './beta.ts';
import { type Bin, type BinMasses, type BinSettings, binMasses, binOfRate, type RateBin } from './bins.ts';

/** Where a problem stands between two evaluation points. */
export interface Standing {
  readonly bin: Bin;
  /** The bin comes from the prior's mean: no posterior mass has exceeded `enter` yet. */
  readonly predicted: boolean;
}

/** What an evaluation point knows of one problem. */
export interface BinEvidence {
  readonly prior: Beta;
  readonly posterior: Beta;
  /** Attempts of the evidence in force, undiscounted. */
  readonly attempts: number;
  /** Passes among them. */
  readonly passes: number;
}

/**
 * Why a problem is in its bin after an evaluation.
 *
 * - `placed_by_prior`: no bin's mass exceeds `enter` and none ever did; the prior's mean places it (again).
 * - `mass_exceeds_enter`: this bin's mass exceeds `enter`: a first placement, a move, or the confirmation of a prediction.
 * - `no_pass`: hard, and the evidence in force has at least `unsolvedAttempts` attempts and no pass.
 * - `first_pass`: it was unsolved and has passed; it is hard until another bin's mass exceeds `enter`.
 * - `evidence_shrank`: it was unsolved, and fewer than `unsolvedAttempts` attempts are still in force.
 * - `kept`: no other bin's mass exceeds `enter`; it stays.
 */
export type MoveReason =
  | 'placed_by_prior'
  | 'mass_exceeds_enter'
  | 'no_pass'
  | 'first_pass'
  | 'evidence_shrank'
  | 'kept';

export interface BinDecision extends Standing {
  readonly reason: MoveReason;
  /** It was in another bin before (a first placement is no move). */
  readonly moved: boolean;
  readonly masses: BinMasses;
}

/**
 * The bin of a problem at an evaluation point. Between evaluation points nothing moves.
 *
 * A problem enters the bin whose posterior mass exceeds `enter`; while none does it stays where it is, and where none ever
 * did the prior's mean places it. Within `hard`, `unsolved` is a matter of counts. The decision is idempotent: deciding
 * again with the same evidence changes nothing.
 *
 * @param standing undefined at the first evaluation that sees the problem (or its new version)
 */
export function decideBin(standing: Standing | undefined, evidence: BinEvidence, settings: BinSettings): BinDecision {
  const masses = binMasses(evidence.posterior, settings);
  const base = decideRange(standing, evidence.prior, masses, settings);
  const neverPassed = evidence.passes === 0 && evidence.attempts >= settings.unsolvedAttempts;
  const decided = base.bin === 'hard' ? withinHard(standing, base, evidence.passes, neverPassed) : base;
  const moved = standing !== undefined && standing.bin !== decided.bin;
  const unchanged = standing?.bin === decided.bin && standing.predicted === decided.predicted;
  return {
    bin: decided.bin,
    predicted: decided.predicted,
    reason: unchanged && !decided.predicted ? 'kept' : decided.reason,
    moved,
    masses,
  };
}

interface Placement {
  readonly bin: Bin;
  readonly predicted: boolean;
  readonly reason: MoveReason;
}

/** Among the ranges of rates alone: `unsolved` counts as `hard`. */
function decideRange(standing: Standing | undefined, prior: Beta, masses: BinMasses, settings: BinSettings): Placement {
  const entered = entries(masses).find(([, mass]) => mass > settings.enter);
  if (entered) return { bin: entered[0], predicted: false, reason: 'mass_exceeds_enter' };
  if (!standing || standing.predicted)
    return { bin: binOfRate(betaMean(prior), settings), predicted: true, reason: 'placed_by_prior' };
  return { bin: standing.bin === 'unsolved' ? 'hard' : standing.bin, predicted: false, reason: 'kept' };
}

function withinHard(standing: Standing | undefined, base: Placement, passes: number, neverPassed: boolean): Placement {
  if (neverPassed) return { bin: 'unsolved', predicted: base.predicted, reason: 'no_pass' };
  if (standing?.bin !== 'unsolved') return base;
  return { bin: 'hard', predicted: base.predicted, reason: passes > 0 ? 'first_pass' : 'evidence_shrank' };
}

function entries(masses: BinMasses): [RateBin, number][] {
  return [
    ['mastered', masses.mastered],
    ['easy', masses.easy],
    ['medium', masses.medium],
    ['hard', masses.hard],
  ];
}

import { type Beta, type BinSettings, betaMean, binOfRate } from '@tidemark/difficulty';
import { Bin, type CalibrationPublished, type CuratedProblem, type DifficultyEstimated } from '@tidemark/proto';
import type { BinName, Candidate } from '@tidemark/selection';
import { priorOf } from './prior-of.ts';

/** What is stored of a ready problem, for one target. */
export interface StoredProblem {
  readonly content: CuratedProblem;
  readonly synthetic: boolean;
  /** Trace by which the problem came; undefined where nobody kept it. */
  readonly traceparent: string | undefined;
  readonly score: number | undefined;
  /** Of this version and suite and of the target's version; undefined when unmeasured. */
  readonly estimate: DifficultyEstimated | undefined;
}

const binNames: Readonly<Record<number, BinName>> = {
  [Bin.MASTERED]: 'mastered',
  [Bin.EASY]: 'easy',
  [Bin.MEDIUM]: 'medium',
  [Bin.HARD]: 'hard',
  [Bin.UNSOLVED]: 'unsolved',
};

/** Bins of the contract by the policy's names. */
export const binOfName: Readonly<Record<BinName, Bin>> = {
  mastered: Bin.MASTERED,
  easy: Bin.EASY,
  medium: Bin.MEDIUM,
  hard: Bin.HARD,
  unsolved: Bin.UNSOLVED,
};

/** A measured problem stands where its estimate says; an unmeasured one where the mean of its prior falls. */
export function toCandidate(
  problem: StoredProblem,
  target: {
    readonly calibration: CalibrationPublished | undefined;
    readonly bins: BinSettings;
    /** Ordinal of the newest checkpoint, and of every known one by name. */
    readonly ordinal: number;
    readonly ordinals: ReadonlyMap<string, number>;
  },
): Candidate {
  const { content, synthetic, estimate } = problem;
  const common = { problemId: content.problemId, synthetic };
  const bin = estimate && binNames[estimate.bin];
  if (estimate === undefined || bin === undefined) {
    const prior: Beta = priorOf(target.calibration, problem.score);
    const predicted = binOfRate(betaMean(prior), target.bins);
    return { ...common, ...prior, bin: predicted, measured: false, checkpointIsNewer: false };
  }
  // An estimate is made anew at each checkpoint; what was measured since is told by its evidence alone. Estimates of a
  // release that did not say so tell when they were made.
  const measuredAt = target.ordinals.get(estimate.evidenceCheckpoint || estimate.checkpoint) ?? -1;
  const { alpha, beta } = estimate;
  return { ...common, alpha, beta, bin, measured: true, checkpointIsNewer: measuredAt < target.ordinal };
}

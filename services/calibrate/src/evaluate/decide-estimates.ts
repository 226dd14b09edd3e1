import {
  type AgedCounts,
  type Beta,
  type Bin,
  type BinMasses,
  type BinSettings,
  betaMean,
  decideBin,
  highestDensityInterval,
  type Interval,
  type MoveReason,
  posteriorOf,
} from '@tidemark/difficulty';

/** Evidence in force of one problem, as an evaluation's snapshot holds it. */
export interface ProblemEvidence {
  readonly problemId: string;
  readonly problemVersion: number;
  /** Suite whose buckets count; empty while no suite is known and all count. */
  readonly suiteHash: string;
  readonly buckets: readonly AgedCounts[];
  /** The newest checkpoint that a bucket is of; empty without a bucket. */
  readonly newestCheckpoint: string;
  readonly truncated: number;
  readonly environment: number;
}

/** What the evaluation before left: enough to tell what changed. */
export interface StoredEstimate {
  readonly targetVersion: number;
  readonly problemVersion: number;
  readonly suiteHash: string;
  readonly alpha: number;
  readonly beta: number;
  readonly attempts: number;
  readonly passes: number;
  readonly truncated: number;
  readonly environment: number;
  readonly bin: Bin;
  readonly predicted: boolean;
}

/** A problem's difficulty after an evaluation. */
export interface Estimate extends StoredEstimate {
  readonly problemId: string;
  readonly mean: number;
  readonly interval: Interval;
  readonly masses: BinMasses;
  readonly reason: MoveReason;
  /** The bin before; undefined at the first estimate of this version for this version of the target. */
  readonly previousBin: Bin | undefined;
  /** Newest checkpoint of the evidence. */
  readonly evidenceCheckpoint: string;
}

export interface EvaluationRules {
  readonly targetVersion: number;
  readonly prior: Beta;
  readonly retention: number;
  readonly bins: BinSettings;
  /** Of the highest-density interval. */
  readonly intervalLevel: number;
}

export interface Estimates {
  /** Those that differ from what is stored, in the order of the evidence. */
  readonly changed: readonly Estimate[];
  /** Problems that have an estimate and no evidence in force any more. */
  readonly vanished: readonly string[];
}

/** Turns the evidence of an evaluation into estimates and moves. Pure: the same snapshot gives the same answer. */
export function decideEstimates(
  evidence: Iterable<ProblemEvidence>,
  stored: ReadonlyMap<string, StoredEstimate>,
  rules: EvaluationRules,
): Estimates {
  const changed: Estimate[] = [];
  const vanished: string[] = [];
  const interval = rememberIntervals(rules.intervalLevel);
  for (const problem of evidence) {
    const before = stored.get(problem.problemId);
    const posterior = posteriorOf(rules.prior, problem.buckets, rules.retention);
    if (posterior.attempts === 0) {
      if (before) vanished.push(problem.problemId);
      continue;
    }
    // A new version of the problem or of the target is another question: where it stood before says nothing about it.
    const standing =
      before && before.problemVersion === problem.problemVersion && before.targetVersion === rules.targetVersion
        ? before
        : undefined;
    const decision = decideBin(
      standing,
      {
        prior: rules.prior,
        posterior: posterior.distribution,
        attempts: posterior.attempts,
        passes: posterior.passes,
      },
      rules.bins,
    );
    const estimate: StoredEstimate = {
      targetVersion: rules.targetVersion,
      problemVersion: problem.problemVersion,
      suiteHash: problem.suiteHash,
      alpha: posterior.distribution.alpha,
      beta: posterior.distribution.beta,
      attempts: posterior.attempts,
      passes: posterior.passes,
      truncated: problem.truncated,
      environment: problem.environment,
      bin: decision.bin,
      predicted: decision.predicted,
    };
    if (before && isEqual(before, estimate)) continue;
    changed.push({
      ...estimate,
      problemId: problem.problemId,
      mean: betaMean(posterior.distribution),
      interval: interval(posterior.distribution),
      masses: decision.masses,
      reason: decision.reason,
      previousBin: standing?.bin,
      evidenceCheckpoint: problem.newestCheckpoint,
    });
  }
  return { changed, vanished };
}

function isEqual(a: StoredEstimate, b: StoredEstimate): boolean {
  return (
    a.targetVersion === b.targetVersion &&
    a.problemVersion === b.problemVersion &&
    a.suiteHash === b.suiteHash &&
    a.alpha === b.alpha &&
    a.beta === b.beta &&
    a.attempts === b.attempts &&
    a.passes === b.passes &&
    a.truncated === b.truncated &&
    a.environment === b.environment &&
    a.bin === b.bin &&
    a.predicted === b.predicted
  );
}

/** Many problems share their counts; an interval costs about a millisecond. */
function rememberIntervals(level: number): (distribution: Beta) => Interval {
  const known = new Map<string, Interval>();
  return (distribution) => {
    const key = `${distribution.alpha} ${distribution.beta}`;
    const before = known.get(key);
    if (before) return before;
    const interval = highestDensityInterval(distribution, level);
    known.set(key, interval);
    return interval;
  };
}

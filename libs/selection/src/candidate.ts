/** Where a problem stands for a target, by its pass rate. */
export type BinName = 'mastered' | 'easy' | 'medium' | 'hard' | 'unsolved';

/** A ready problem of the training side, as a policy sees it for one target. */
export interface Candidate {
  readonly problemId: string;
  /** Posterior of the pass rate, or the prior of an unmeasured problem: Beta(alpha, beta), both above 0. */
  readonly alpha: number;
  readonly beta: number;
  readonly bin: BinName;
  /** False when the bin is placed by the prior. */
  readonly measured: boolean;
  /** Generated: counts towards the cap on synthetic problems. */
  readonly synthetic: boolean;
  /** True when nothing was learned of the problem since the target's newest checkpoint. */
  readonly checkpointIsNewer: boolean;
}

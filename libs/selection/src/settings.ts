/** How a target wants its problems chosen. */
export interface SelectionSettings {
  /** Attempts of a group, G; a whole number of at least 1. */
  readonly groupSize: number;
  /** Weight of each bin in the value, at least 0. */
  readonly binWeights: { readonly easy: number; readonly medium: number; readonly hard: number };
  /** Share of the mastered and unsolved problems that is kept in the working set for a retest, 0 to 1. */
  readonly retestRate: number;
  /** The same for problems of which nothing was learned since the newest checkpoint, 0 to 1. */
  readonly retestRateNewCheckpoint: number;
  /** Largest share of synthetic problems in the working set, 0 to 1. */
  readonly syntheticShare: number;
  /** Most problems in the working set, at least 1. */
  readonly workingSet: number;
}

/** Defaults of the policy `edge`: drop the easy, keep a few of what is mastered or unsolved under test. */
export const defaultSelectionSettings: SelectionSettings = {
  groupSize: 8,
  binWeights: { easy: 0.3, medium: 1, hard: 1 },
  retestRate: 0.02,
  retestRateNewCheckpoint: 0.05,
  syntheticShare: 0,
  workingSet: 20_000,
};

/** Where a ready problem of the training side stands for one target: a pure function of what the topics say. */

export const binNames = ['mastered', 'easy', 'medium', 'hard', 'unsolved'] as const;
export type BinName = (typeof binNames)[number];

/** What is known of one problem for one target. */
export interface TargetFacts {
  /** Member of the calibration panel. */
  readonly inPanel: boolean;
  /** Its record on `curated.<target>.v1`. */
  readonly curated: { readonly bin: BinName; readonly predicted: boolean; readonly retest: boolean } | undefined;
  /** Its newest measured difficulty. */
  readonly measured: { readonly bin: BinName } | undefined;
  /** A generator made it. */
  readonly synthetic: boolean;
  readonly selection: SelectionFacts;
}

/** What a target asks of its working set, and how large that is now. */
export interface SelectionFacts {
  /** Largest share of synthetic problems, 0 to 1. */
  readonly syntheticShare: number;
  readonly binWeights: Readonly<Record<string, number>>;
  /** Largest size. */
  readonly workingSet: number;
  /** Problems in it. */
  readonly curated: number;
}

/** Why a problem that could be curated is not. */
export type ReserveReason =
  /** The target takes no synthetic problems, or no more of them. */
  | 'synthetic_share'
  /** The target gives its bin no weight. */
  | 'bin_weight'
  /** The working set is full of problems that are worth more. */
  | 'outranked'
  /** Nothing keeps it out: the next selection may take it. */
  | 'not_chosen_yet';

export type Placement =
  /** Measures the target; kept out of training. */
  | { readonly kind: 'panel' }
  /** In the working set. */
  | { readonly kind: 'curated'; readonly bin: BinName; readonly predicted: boolean; readonly retest: boolean }
  /** Teaches nothing now: always solved, or never. */
  | { readonly kind: 'set_aside'; readonly bin: BinName; readonly until: string }
  /** Could be curated and is not; `bin` is absent while it was not measured. */
  | { readonly kind: 'reserve'; readonly bin: BinName | undefined; readonly reason: ReserveReason };

/** Decides the placement; panel before working set, so that a member that is still being removed is not shown twice. */
export function decidePlacement(facts: TargetFacts): Placement {
  const { inPanel, curated, measured } = facts;
  if (inPanel) return { kind: 'panel' };
  if (curated !== undefined) return { kind: 'curated', ...curated };
  if (measured?.bin === 'mastered') return { kind: 'set_aside', bin: 'mastered', until: 'a retest draws it' };
  if (measured?.bin === 'unsolved') return { kind: 'set_aside', bin: 'unsolved', until: 'the checkpoint changes' };
  return { kind: 'reserve', bin: measured?.bin, reason: reserveReason(facts) };
}

function reserveReason({ measured, synthetic, selection }: TargetFacts): ReserveReason {
  const { syntheticShare, binWeights, workingSet, curated } = selection;
  if (synthetic && syntheticShare === 0) return 'synthetic_share';
  if (measured !== undefined && binWeights[measured.bin] === 0) return 'bin_weight';
  if (curated >= workingSet) return 'outranked';
  return synthetic && syntheticShare < 1 ? 'synthetic_share' : 'not_chosen_yet';
}

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
}

export type Placement =
  /** Measures the target; kept out of training. */
  | { readonly kind: 'panel' }
  /** In the working set. */
  | { readonly kind: 'curated'; readonly bin: BinName; readonly predicted: boolean; readonly retest: boolean }
  /** Teaches nothing now: always solved, or never. */
  | { readonly kind: 'set_aside'; readonly bin: BinName; readonly until: string }
  /** Could be curated and is not; `bin` is absent while it was not measured. */
  | { readonly kind: 'reserve'; readonly bin: BinName | undefined };

/** Decides the placement; panel before working set, so that a member that is still being removed is not shown twice. */
export function decidePlacement({ inPanel, curated, measured }: TargetFacts): Placement {
  if (inPanel) return { kind: 'panel' };
  if (curated !== undefined) return { kind: 'curated', ...curated };
  if (measured?.bin === 'mastered') return { kind: 'set_aside', bin: 'mastered', until: 'a retest draws it' };
  if (measured?.bin === 'unsolved') return { kind: 'set_aside', bin: 'unsolved', until: 'the checkpoint changes' };
  return { kind: 'reserve', bin: measured?.bin };
}

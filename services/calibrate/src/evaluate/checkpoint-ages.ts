/** A checkpoint of a target's line. */
export interface Checkpoint {
  readonly checkpoint: string;
  /** Higher is newer. Gaps mean nothing: age counts checkpoints. */
  readonly ordinal: number;
}

/** What a line without any declared checkpoint is called. */
const ONLY_CHECKPOINT: Checkpoint = { checkpoint: 'base', ordinal: 0 };

/** The newest checkpoint; a line that declared none has one alone. */
export function checkpointInForce(line: readonly Checkpoint[]): Checkpoint {
  return (
    line.reduce<Checkpoint | undefined>(
      (newest, c) => (newest && newest.ordinal >= c.ordinal ? newest : c),
      undefined,
    ) ?? ONLY_CHECKPOINT
  );
}

/**
 * How old a checkpoint's evidence is: the number of distinct ordinals above its own, so that the newest has age 0.
 *
 * A name that was not declared is taken for older than every declared one: evidence of a checkpoint whose declaration is
 * still on its way counts too little for a moment, never too much; the declaration brings an evaluation.
 */
export function checkpointAges(line: readonly Checkpoint[]): (checkpoint: string) => number {
  const ordinals = [...new Set(line.map(({ ordinal }) => ordinal))].sort((a, b) => b - a);
  const age = new Map(ordinals.map((ordinal, i) => [ordinal, i]));
  const byName = new Map(line.map(({ checkpoint, ordinal }) => [checkpoint, age.get(ordinal) ?? 0]));
  return (checkpoint) => byName.get(checkpoint) ?? ordinals.length;
}

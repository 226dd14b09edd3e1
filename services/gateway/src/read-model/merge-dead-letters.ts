import { type Stage, StageOutcome } from '@tidemark/proto';
import type { StageStatus } from './decide-visible-state.ts';

/** A record of a problem that a stage laid aside. */
export interface DeadLetterFact {
  readonly stage: Stage;
  readonly version: number;
  /** Stable error code. */
  readonly reason: string;
}

/**
 * A stage that could not take a record says nothing of the problem: its dead letter speaks in its place, until the
 * stage itself has a word on that version or a later one.
 */
export function mergeDeadLetters(
  statuses: readonly StageStatus[],
  letters: readonly DeadLetterFact[],
): readonly StageStatus[] {
  const newest = new Map<Stage, DeadLetterFact>();
  for (const letter of letters) {
    if (letter.version >= (newest.get(letter.stage)?.version ?? 0)) newest.set(letter.stage, letter);
  }
  const spoken = new Map(statuses.map((status) => [status.stage, status]));
  for (const { stage, version, reason } of newest.values()) {
    if ((spoken.get(stage)?.version ?? -1) >= version) continue;
    spoken.set(stage, { stage, version, outcome: StageOutcome.DEAD_LETTERED, reason });
  }
  return [...spoken.values()];
}

import { topics } from '@tidemark/event-log';
import { Stage, StageOutcome } from '@tidemark/proto';
import type { StageStatus } from './decide-visible-state.ts';

/** A record of a problem that a stage laid aside. */
export interface DeadLetterFact {
  readonly stage: Stage;
  /** Name of the topic that it was read from. */
  readonly topic: string;
  readonly version: number;
  /** Stable error code. */
  readonly reason: string;
}

/** The topic by which each stage gets the problems that it lets pass. */
const WAY: ReadonlyMap<Stage, string> = new Map([
  [Stage.NORMALIZE, topics.problemsRaw.name],
  [Stage.DEDUP, topics.problemsNormalized.name],
  [Stage.EXECUTE, topics.problemsUnique.name],
  [Stage.SCORE, topics.problemsVerified.name],
]);

/**
 * A stage that could not take a problem says nothing of it: its dead letter speaks in its place, until the stage itself
 * has a word on that version or a later one. Letters of other topics and of stages off the way stop no problem.
 */
export function mergeDeadLetters(
  statuses: readonly StageStatus[],
  letters: readonly DeadLetterFact[],
): readonly StageStatus[] {
  const newest = new Map<Stage, DeadLetterFact>();
  for (const letter of letters) {
    if (WAY.get(letter.stage) !== letter.topic) continue;
    if (letter.version >= (newest.get(letter.stage)?.version ?? 0)) newest.set(letter.stage, letter);
  }
  const spoken = new Map(statuses.map((status) => [status.stage, status]));
  for (const { stage, version, reason } of newest.values()) {
    if ((spoken.get(stage)?.version ?? -1) >= version) continue;
    spoken.set(stage, { stage, version, outcome: StageOutcome.DEAD_LETTERED, reason });
  }
  return [...spoken.values()];
}

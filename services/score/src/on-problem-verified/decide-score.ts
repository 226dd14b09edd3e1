import { type Prediction, predict, type ScorableProblem } from '@tidemark/scoring';

/** What to do with a verified problem. */
export type ScoreDecision =
  | { readonly kind: 'scored'; readonly prediction: Prediction }
  /** A higher version was scored already: this event says nothing any more. */
  | { readonly kind: 'superseded'; readonly by: number };

/**
 * @param known the version that was scored, undefined when none was
 * @returns a prediction also for a version that was scored before: its suite may be another, and a withdrawal that is
 *   taken back has to bring the score back too
 */
export function decideScore(version: number, known: number | undefined, problem: ScorableProblem): ScoreDecision {
  if (known !== undefined && version < known) return { kind: 'superseded', by: known };
  return { kind: 'scored', prediction: predict(problem) };
}

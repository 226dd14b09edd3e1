import { type Counts, countGroup } from '@tidemark/difficulty';
import { findingOf, isEvidence, type Purpose, purposeInForce, type RolloutsGraded, Verdict } from '@tidemark/proto';

/** Attempts of one verdict. */
export interface VerdictCell {
  readonly verdict: number;
  readonly attempts: number;
  /** Those that the token limit cut: none of them passed. */
  readonly truncated: number;
}

/** A graded group, reduced to what is shown. */
export interface CountedVerdicts {
  /** Held-out problems count for the exam, whatever the group says; a purpose of a later release stays as it is. */
  readonly purpose: Purpose;
  readonly cells: readonly VerdictCell[];
  /** What it adds to its target's totals; undefined for what is no evidence: exams, canaries, what can't be counted. */
  readonly totals: Counts | undefined;
}

/** Counts as calibrate does: totals that differ from the estimates beside them would be of another kind. */
export function countVerdicts({ group, verdicts, heldOut }: RolloutsGraded): CountedVerdicts {
  const purpose = purposeInForce(group?.purpose ?? 0, heldOut);
  const judged = verdicts.length > 0 && verdicts.every(({ verdict }) => verdict !== Verdict.UNSPECIFIED);
  const counted = purpose !== undefined && isEvidence(purpose) && judged;
  const attempts = verdicts.map(({ verdict, truncated }) => ({ finding: findingOf(verdict), truncated }));
  return {
    purpose: purpose ?? group?.purpose ?? 0,
    cells: [...Map.groupBy(verdicts, ({ verdict }) => verdict)].map(([verdict, same]) => ({
      verdict,
      attempts: same.length,
      truncated: same.filter(({ truncated }) => truncated).length,
    })),
    totals: counted ? countGroup(attempts) : undefined,
  };
}

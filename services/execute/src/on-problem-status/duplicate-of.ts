import { type ProblemStatus, StageOutcome } from '@tidemark/proto';

/** The problem that a status of dedup names as the one that this one equals; undefined when it is no duplicate. */
export function duplicateOf({ outcome, reason, evidence }: ProblemStatus): string | undefined {
  if (outcome !== StageOutcome.REJECTED || reason !== 'exact_duplicate') return undefined;
  return evidence.find(({ kind }) => kind === 'duplicate_of')?.subjectId;
}

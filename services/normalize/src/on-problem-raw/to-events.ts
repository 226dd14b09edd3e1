import { create } from '@bufbuild/protobuf';
import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import {
  EvidenceSchema,
  type ProblemNormalized,
  type ProblemStatus,
  ProblemStatusSchema,
  type ProblemWithdrawn,
  ProblemWithdrawnSchema,
  Stage,
  StageOutcome,
} from '@tidemark/proto';
import type { Normalization } from './decide-normalization.ts';
import type { Progress } from './decide-progress.ts';

export function toStatus(event: ProblemNormalized, decision: Normalization, nowMs: number): ProblemStatus {
  const passes = decision.kind === 'passes';
  return create(ProblemStatusSchema, {
    problemId: event.problemId,
    version: event.version,
    stage: Stage.NORMALIZE,
    outcome: passes ? StageOutcome.PASSED : StageOutcome.REJECTED,
    reason: passes ? '' : decision.reason,
    message: passes ? messageOf(event) : decision.message,
    evidence: event.notes.map((note) =>
      create(EvidenceSchema, { kind: `cleaning_${note.code}`, text: `${note.count} places`, value: note.count }),
    ),
    decidedAt: timestampFromMs(nowMs),
    title: event.content?.title ?? '',
  });
}

/** A withdrawal of the problem up to a version, or the taking back of one. */
export function toWithdrawal(
  event: ProblemNormalized,
  decision: Normalization,
  { kind, upTo }: NonNullable<Progress['withdrawal']>,
  nowMs: number,
): ProblemWithdrawn {
  return create(ProblemWithdrawnSchema, {
    problemId: event.problemId,
    version: upTo,
    stage: Stage.NORMALIZE,
    reason: decision.kind === 'passes' ? 'passes_again' : decision.reason,
    withdrawnAt: timestampFromMs(nowMs),
    takenBack: kind === 'take_back',
  });
}

function messageOf(event: ProblemNormalized): string {
  const tests = event.content?.testCount ?? 0;
  return tests === 0 ? 'Clean; it has no tests yet.' : `Clean; it has ${tests} ${tests === 1 ? 'test' : 'tests'}.`;
}

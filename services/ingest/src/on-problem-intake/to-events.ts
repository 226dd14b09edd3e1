import { create } from '@bufbuild/protobuf';
import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import type { Fault, Warning } from '@tidemark/formats';
import {
  type Evidence,
  EvidenceSchema,
  type Origin,
  type ProblemStatus,
  ProblemStatusSchema,
  type ProblemWithdrawn,
  ProblemWithdrawnSchema,
  Stage,
  StageOutcome,
  type Submitter,
} from '@tidemark/proto';

/** Longest text of one evidence, in characters. */
const EVIDENCE_CHARACTERS = 500;

/** What all events about one offer share. */
export interface About {
  readonly problemId: string;
  readonly version: number;
  readonly origin: Origin;
  readonly submitter: Submitter;
  readonly title: string;
  readonly nowMs: number;
}

export function passedStatus(about: About, message: string, warnings: readonly Warning[]): ProblemStatus {
  return status(
    about,
    StageOutcome.PASSED,
    '',
    message,
    warnings.map((warning) => fieldEvidence(warning.code, warning.field, warning.reason)),
  );
}

export function rejectedStatus(about: About, faults: readonly Fault[]): ProblemStatus {
  const first = faults[0];
  const message = `The record can't be read: ${first?.field ? `${first.field} ` : 'it '}${first?.reason ?? ''}.`;
  const evidence = faults.map((fault) => fieldEvidence(fault.code, fault.field, `${fault.reason}. ${fault.advice}`));
  return status(about, StageOutcome.REJECTED, 'invalid_record', message, evidence);
}

/** The producer takes the record back, or offers it again after that. */
export function withdrawnEvent(about: About, takenBack: boolean, words = ''): ProblemWithdrawn {
  return create(ProblemWithdrawnSchema, {
    problemId: about.problemId,
    version: about.version,
    stage: Stage.INGEST,
    reason: 'withdrawn_by_producer',
    evidence: words === '' ? [] : [create(EvidenceSchema, { kind: 'producers_words', text: words })],
    withdrawnAt: timestampFromMs(about.nowMs),
    takenBack,
  });
}

function status(
  about: About,
  outcome: StageOutcome,
  reason: string,
  message: string,
  evidence: Evidence[],
): ProblemStatus {
  return create(ProblemStatusSchema, {
    problemId: about.problemId,
    version: about.version,
    stage: Stage.INGEST,
    outcome,
    reason,
    message,
    evidence,
    decidedAt: timestampFromMs(about.nowMs),
    origin: about.origin,
    submitter: about.submitter,
    title: about.title,
  });
}

function fieldEvidence(kind: string, field: string, text: string): Evidence {
  return create(EvidenceSchema, { kind, subjectId: field.slice(0, 200), text: text.slice(0, EVIDENCE_CHARACTERS) });
}

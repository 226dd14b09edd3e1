import { create } from '@bufbuild/protobuf';
import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import { type BlobStore, INLINE_LIMIT_BYTES, storePayload } from '@tidemark/blob-store';
import type { RecordVerdict, RolloutPurpose, RolloutRecord } from '@tidemark/formats';
import {
  type Attempt,
  AttemptSchema,
  AttemptVerdictSchema,
  type GroupIdentity,
  GroupIdentitySchema,
  Purpose,
  type RolloutsGraded,
  RolloutsGradedSchema,
  type RolloutsSubmitted,
  RolloutsSubmittedSchema,
  StopReason,
  type Submitter,
  Verdict,
} from '@tidemark/proto';
import type { GroupDecision } from './decide-group.ts';

const purposes: Readonly<Record<RolloutPurpose, Purpose>> = {
  train: Purpose.TRAIN,
  calibrate: Purpose.CALIBRATE,
  evaluate: Purpose.EVALUATE,
};

const verdicts: Readonly<Record<RecordVerdict, Verdict>> = {
  accepted: Verdict.ACCEPTED,
  wrong_answer: Verdict.WRONG_ANSWER,
  time_limit: Verdict.TIME_LIMIT,
  memory_limit: Verdict.MEMORY_LIMIT,
  output_limit: Verdict.OUTPUT_LIMIT,
  runtime_error: Verdict.RUNTIME_ERROR,
  compile_error: Verdict.COMPILE_ERROR,
  no_code: Verdict.NO_CODE,
  wrong_form: Verdict.WRONG_FORM,
  sandbox_failure: Verdict.SANDBOX_FAILURE,
  checker_failure: Verdict.CHECKER_FAILURE,
  machine_overloaded: Verdict.MACHINE_OVERLOADED,
  language_missing: Verdict.LANGUAGE_MISSING,
  cancelled: Verdict.CANCELLED,
};

/** Bytes of outputs that may stand inside one event; what is over goes to the blob store. */
const INLINE_TOTAL_BYTES = 128 * 1024;

/** A group to be graded here. */
export async function toSubmitted(
  record: RolloutRecord,
  decision: GroupDecision & { kind: 'submit' },
  intakeHour: number,
  submitter: Submitter,
  blobs: BlobStore,
): Promise<RolloutsSubmitted> {
  const attempts: Attempt[] = [];
  let inlined = 0;
  for (const [index, attempt] of record.attempts.entries()) {
    const left = Math.min(INLINE_LIMIT_BYTES, INLINE_TOTAL_BYTES - inlined);
    const output = await storePayload(blobs, attempt.output ?? '', left);
    inlined += output.inline?.length ?? 0;
    attempts.push(
      create(AttemptSchema, {
        index,
        output,
        stopReason: attempt.truncated ? StopReason.LENGTH : StopReason.UNSPECIFIED,
        promptTokens: attempt.promptTokens ?? 0,
        outputTokens: attempt.outputTokens ?? 0,
        ...(attempt.seed === undefined ? {} : { seed: attempt.seed }),
      }),
    );
  }
  const group = identityOf(record, decision.targetVersion, record.problemVersion ?? 0, intakeHour);
  return create(RolloutsSubmittedSchema, { group, attempts, submitter });
}

/** A group with the grades of one whose grades count. */
export function toGraded(
  record: RolloutRecord,
  decision: GroupDecision & { kind: 'graded' },
  intakeHour: number,
  submitter: Submitter,
  nowMs: number,
): RolloutsGraded {
  return create(RolloutsGradedSchema, {
    group: identityOf(record, decision.targetVersion, decision.problemVersion, intakeHour),
    verdicts: record.attempts.map((attempt, index) =>
      create(AttemptVerdictSchema, {
        index,
        verdict: attempt.verdict === undefined ? Verdict.UNSPECIFIED : verdicts[attempt.verdict],
        truncated: attempt.truncated,
      }),
    ),
    suiteHash: record.suiteHash,
    judgeVersion: record.judgeVersion || submitter.name,
    submitter,
    gradedBySubmitter: true,
    gradedAt: timestampFromMs(nowMs),
  });
}

function identityOf(record: RolloutRecord, targetVersion: number, version: number, intakeHour: number): GroupIdentity {
  return create(GroupIdentitySchema, {
    groupId: record.groupId,
    target: record.target,
    targetVersion,
    checkpoint: record.checkpoint,
    problemId: record.problemId,
    version,
    purpose: purposes[record.purpose],
    promptHash: record.promptSha256,
    leaseId: record.lease,
    intakeHour,
  });
}

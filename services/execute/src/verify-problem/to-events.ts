import { clone, create } from '@bufbuild/protobuf';
import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import type { Limits } from '@tidemark/judging';
import {
  EvidenceSchema,
  type Payload,
  type ProblemStatus,
  ProblemStatusSchema,
  type ProblemUnique,
  type ProblemVerified,
  ProblemVerifiedSchema,
  type ProblemWithdrawn,
  ProblemWithdrawnSchema,
  ReferenceRunSchema,
  Stage,
  StageOutcome,
  type SuiteChanged,
  SuiteChangedSchema,
} from '@tidemark/proto';
import { toWireLimits } from '../suite/limits.ts';
import type { ReferenceResult, VerificationOutcome } from './decide-outcome.ts';

const EVIDENCE_CHARACTERS = 2_000;

/** What was run, and by what. */
export type VerificationRun = {
  readonly references: readonly ReferenceResult[];
  readonly suite: Payload;
  readonly testCount: number;
  readonly limits: Limits;
  readonly judgeVersion: string;
  /** Assertions need the program in their own process. */
  readonly together: boolean;
};

/** The hash of a suite is that of its serialised bytes, checker and all. */
export function toVerified(problem: ProblemUnique, run: VerificationRun): ProblemVerified {
  const verified = create(ProblemVerifiedSchema, {
    problemId: problem.problemId,
    version: problem.version,
    suiteHash: run.suite.sha256,
    suite: run.suite,
    testCount: run.testCount,
    judgeVersion: run.judgeVersion,
    limits: toWireLimits(run.limits),
    sharesProcess: run.together,
    references: run.references
      .filter(({ result }) => result.verdict === 'accepted')
      .map(({ sha256, language, result }) =>
        create(ReferenceRunSchema, {
          solutionSha256: sha256,
          language,
          testsRun: result.testsRun,
          maxCpuTimeMs: result.maxCpuTimeMs,
          maxMemoryBytes: BigInt(result.memoryBytes),
        }),
      ),
  });
  return withPlace(verified, problem);
}

/** The same verification with the cluster, split and origin of a newer event. */
export function withPlace(verified: ProblemVerified, problem: ProblemUnique): ProblemVerified {
  const placed = clone(ProblemVerifiedSchema, verified);
  if (problem.origin) placed.origin = problem.origin;
  if (problem.content) placed.content = problem.content;
  placed.clusterId = problem.clusterId;
  placed.split = problem.split;
  // The runtime gives each event its own.
  placed.revision = 0n;
  return placed;
}

/** Another suite judges from now on: of the same version, or because another version is in force. */
export function toSuiteChanged(before: ProblemVerified, now: ProblemVerified, nowMs: number): SuiteChanged {
  return create(SuiteChangedSchema, {
    problemId: now.problemId,
    version: now.version,
    oldSuiteHash: before.suiteHash,
    newSuiteHash: now.suiteHash,
    reason: before.version === now.version ? 'verified_again' : 'new_version',
    changedAt: timestampFromMs(nowMs),
  });
}

export function toStatus(
  problem: ProblemUnique,
  outcome: Exclude<VerificationOutcome, { kind: 'environment' }>,
  testCount: number,
  nowMs: number,
): ProblemStatus {
  const status = create(ProblemStatusSchema, {
    problemId: problem.problemId,
    version: problem.version,
    stage: Stage.EXECUTE,
    decidedAt: timestampFromMs(nowMs),
  });
  switch (outcome.kind) {
    case 'verified':
      status.outcome = StageOutcome.PASSED;
      status.message = `Its reference solutions pass its ${testCount} ${testCount === 1 ? 'test' : 'tests'}.`;
      return status;
    case 'waiting':
      status.outcome = StageOutcome.WAITING;
      status.reason = outcome.reason;
      status.message = outcome.message;
      return status;
    case 'rejected':
      status.outcome = StageOutcome.REJECTED;
      status.reason = outcome.reason;
      status.message = outcome.message;
      status.evidence = outcome.evidence.map(({ kind, text }) =>
        create(EvidenceSchema, { kind, text: text.slice(0, EVIDENCE_CHARACTERS) }),
      );
      return status;
  }
}

/** A rejected version takes the one before it along, which had been in force. */
export function toWithdrawal(problem: ProblemUnique, reason: string, nowMs: number): ProblemWithdrawn {
  return create(ProblemWithdrawnSchema, {
    problemId: problem.problemId,
    version: problem.version,
    stage: Stage.EXECUTE,
    reason,
    withdrawnAt: timestampFromMs(nowMs),
  });
}

/** The judge itself failed on the problem, again and again. */
export function toGivenUp(problem: ProblemUnique, error: Error, nowMs: number): ProblemStatus {
  return create(ProblemStatusSchema, {
    problemId: problem.problemId,
    version: problem.version,
    stage: Stage.EXECUTE,
    outcome: StageOutcome.DEAD_LETTERED,
    reason: 'verification_failed',
    message: `Verification failed: ${error.message.slice(0, 300)}`,
    decidedAt: timestampFromMs(nowMs),
  });
}

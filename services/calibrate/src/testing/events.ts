import { create, type MessageInitShape } from '@bufbuild/protobuf';
import {
  type GroupIdentitySchema,
  Purpose,
  type RolloutsGraded,
  RolloutsGradedSchema,
  type TargetDeclared,
  TargetDeclaredSchema,
  Verdict,
} from '@tidemark/proto';

export const PROBLEM = '0123456789abcdef0123456789abcdef';
export const SUITE = 'a'.repeat(64);
/** An hour long before any closed window of a spec's clock matters. */
export const NOW_HOUR = Math.floor(Date.now() / 3_600_000);

/** A graded group of the spec's problem; verdicts as `p` pass, `f` fail, `t` truncated failure, `e` environment failure. */
export function graded(
  groupId: string,
  verdicts: string,
  group: MessageInitShape<typeof GroupIdentitySchema> = {},
  rest: { suiteHash?: string; judgeVersion?: string; heldOut?: boolean; submitter?: { name: string } } = {},
): RolloutsGraded {
  const kinds: Record<string, Verdict> = {
    p: Verdict.ACCEPTED,
    f: Verdict.WRONG_ANSWER,
    t: Verdict.WRONG_ANSWER,
    e: Verdict.SANDBOX_FAILURE,
    '?': 99 as Verdict,
    '0': Verdict.UNSPECIFIED,
  };
  return create(RolloutsGradedSchema, {
    group: {
      groupId,
      target: 'line-a',
      targetVersion: 1,
      checkpoint: 'base',
      problemId: PROBLEM,
      version: 1,
      purpose: Purpose.TRAIN,
      intakeHour: NOW_HOUR,
      ...group,
    },
    verdicts: [...verdicts].map((kind, index) => ({
      index,
      verdict: kinds[kind] ?? Verdict.UNSPECIFIED,
      truncated: kind === 't',
    })),
    suiteHash: SUITE,
    judgeVersion: 'judge-1',
    submitter: { name: 'trainer' },
    ...rest,
  });
}

export function declared(settings: MessageInitShape<typeof TargetDeclaredSchema> = {}): TargetDeclared {
  return create(TargetDeclaredSchema, { target: 'line-a', version: 1, groupSize: 8, retention: 0.9, ...settings });
}

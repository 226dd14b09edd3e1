import { type Attempt, type Counts, countGroup } from '@tidemark/difficulty';
import { findingOf, type Purpose, purposeInForce, type RolloutsGraded, Verdict } from '@tidemark/proto';

/** Where a group's counts are added: everything that a later reading may choose by. */
export interface EvidenceBucket {
  readonly target: string;
  readonly targetVersion: number;
  readonly problemId: string;
  readonly problemVersion: number;
  readonly suiteHash: string;
  readonly judgeVersion: string;
  readonly checkpoint: string;
  readonly purpose: Purpose;
  readonly submitter: string;
  readonly promptHash: string;
  /** Hours since 1970 of the intake's append time. */
  readonly windowHour: number;
}

/** What becomes of a graded group, apart from whether its id was counted before. */
export type Counting =
  | { readonly kind: 'count'; readonly groupId: string; readonly bucket: EvidenceBucket; readonly counts: Counts }
  /** A value of a later release: kept whole until a release that knows it. */
  | { readonly kind: 'park'; readonly reason: 'unknown_verdict' | 'unknown_purpose' }
  /** Can never be counted. */
  | { readonly kind: 'refuse'; readonly code: string; readonly message: string };

/**
 * Reduces a group's verdicts to counts and names its bucket.
 *
 * @param firstHour the first window that is open: of those before, the ids of the groups are gone, so that nobody can
 * know any more whether a group was counted
 */
export function decideCounting(graded: RolloutsGraded, firstHour = 0): Counting {
  const { group } = graded;
  if (!group?.groupId || !group.target || !group.problemId || group.version === 0 || group.targetVersion === 0)
    return refuse('incomplete_group', 'group id, target, problem or one of their versions is missing');
  if (graded.verdicts.length === 0) return refuse('empty_group', `group ${group.groupId} has no verdict`);
  if (graded.verdicts.some(({ verdict }) => verdict === Verdict.UNSPECIFIED))
    return refuse('not_judged', `group ${group.groupId} has an attempt that was not judged`);

  const purpose = purposeInForce(group.purpose, graded.heldOut);
  if (purpose === undefined) return { kind: 'park', reason: 'unknown_purpose' };
  const counts = countGroup(
    graded.verdicts.map(({ verdict, truncated }): Attempt => ({ finding: findingOf(verdict), truncated })),
  );
  if (counts === undefined) return { kind: 'park', reason: 'unknown_verdict' };
  if (group.intakeHour < firstHour) return refuse('late_group', `the window of group ${group.groupId} is closed`);
  return {
    kind: 'count',
    groupId: group.groupId,
    bucket: {
      target: group.target,
      targetVersion: group.targetVersion,
      problemId: group.problemId,
      problemVersion: group.version,
      suiteHash: graded.suiteHash,
      judgeVersion: graded.judgeVersion,
      checkpoint: group.checkpoint,
      purpose,
      submitter: graded.submitter?.name ?? '',
      promptHash: group.promptHash,
      windowHour: group.intakeHour,
    },
    counts,
  };
}

const refuse = (code: string, message: string): Counting => ({ kind: 'refuse', code, message });

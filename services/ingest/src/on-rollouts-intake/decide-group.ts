import type { RolloutRecord } from '@tidemark/formats';

/** What ingest knows of what a group speaks of; undefined or empty where it knows nothing. */
export interface GroupContext {
  /** Version of the problem's record; 0 when it is not known (or never could be read). */
  readonly problemVersion: number;
  /** Target version in which the checkpoint was made; undefined when the checkpoint is not known. */
  readonly checkpointTargetVersion: number | undefined;
  /** Group sizes of the target's versions. */
  readonly groupSizes: ReadonlyMap<number, number>;
}

export type GroupDecision =
  /** To be graded here. */
  | { readonly kind: 'submit'; readonly targetVersion: number }
  /** Graded by one whose grades count. */
  | { readonly kind: 'graded'; readonly targetVersion: number; readonly problemVersion: number }
  | { readonly kind: 'park'; readonly missing: 'problem' | 'target' | 'checkpoint' }
  | {
      readonly kind: 'refuse';
      readonly code: 'untrusted_grade' | 'group_too_large' | 'unknown_version';
      readonly reason: string;
    };

/**
 * Where a group of attempts goes. One that names no target version is of the newest declared one. Grades of one who is not trusted are dropped when the outputs are there to be graded
 * again, and refused when they are not.
 */
export function decideGroup(group: RolloutRecord, trustedToGrade: boolean, context: GroupContext): GroupDecision {
  const graded = group.attempts.every((attempt) => attempt.verdict !== undefined);
  const outputs = group.attempts.every((attempt) => attempt.output !== undefined);
  if (!trustedToGrade && !outputs) {
    const reason = 'the submitter is not trusted to grade, and outputs to grade here are missing';
    return { kind: 'refuse', code: 'untrusted_grade', reason };
  }
  if (context.groupSizes.size === 0) return { kind: 'park', missing: 'target' };
  if (context.checkpointTargetVersion === undefined) return { kind: 'park', missing: 'checkpoint' };
  // The checkpoint may be known before the version in which it was made: then that version is waited for.
  const newest = Math.max(context.checkpointTargetVersion, ...context.groupSizes.keys());
  const targetVersion = group.targetVersion ?? newest;
  const size = context.groupSizes.get(targetVersion);
  if (size === undefined) return { kind: 'park', missing: 'target' };
  if (size > 0 && group.attempts.length > size) {
    const reason = `the group has ${group.attempts.length} attempts, the target's groups have at most ${size}`;
    return { kind: 'refuse', code: 'group_too_large', reason };
  }
  if (context.problemVersion === 0) return { kind: 'park', missing: 'problem' };
  if (group.problemVersion !== undefined && group.problemVersion > context.problemVersion) {
    const reason = `the newest version of the problem is ${context.problemVersion}, not ${group.problemVersion}`;
    return { kind: 'refuse', code: 'unknown_version', reason };
  }
  if (!graded || !trustedToGrade) return { kind: 'submit', targetVersion };
  return { kind: 'graded', targetVersion, problemVersion: group.problemVersion ?? context.problemVersion };
}

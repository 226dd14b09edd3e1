import type { GroupContext } from '../postgres/group-contexts.ts';

/** What to do with a group of attempts. */
export type GroupDecision =
  | { readonly kind: 'grade'; readonly version: number }
  | { readonly kind: 'park'; readonly missing: 'target' | 'problem' }
  | { readonly kind: 'refuse'; readonly code: 'too_many_waiting'; readonly reason: string };

/**
 * A group is graded by the suite of the version that its model saw. Until that version is verified, and its target
 * declared, it waits, unless its submitter has too many waiting already.
 *
 * @param waiting groups of the submitter that wait, this one not counted
 */
export function decideGroup(context: GroupContext, waiting: number, maxWaiting: number): GroupDecision {
  if (context.targetKnown && context.judgedVersion > 0) return { kind: 'grade', version: context.judgedVersion };
  if (waiting >= maxWaiting) {
    return { kind: 'refuse', code: 'too_many_waiting', reason: `${waiting} groups of this submitter wait already` };
  }
  return { kind: 'park', missing: context.targetKnown ? 'problem' : 'target' };
}

import type { GroupContext } from '../postgres/group-contexts.ts';

/** What to do with a group of attempts. */
export type GroupDecision =
  | { readonly kind: 'grade'; readonly version: number }
  | { readonly kind: 'park'; readonly missing: 'target' | 'problem' };

/**
 * A group is graded by the suite of the version that its model saw. Until that version is verified, and its target
 * declared, it waits.
 */
export function decideGroup({ targetKnown, judgedVersion }: GroupContext): GroupDecision {
  if (targetKnown && judgedVersion > 0) return { kind: 'grade', version: judgedVersion };
  return { kind: 'park', missing: targetKnown ? 'problem' : 'target' };
}

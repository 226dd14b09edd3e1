import type { KnownProblem } from '../postgres/problems.ts';

/** What to do with a problem that dedup lets through. */
export type VerificationDecision =
  /** A version never judged here: its references run. */
  | { readonly kind: 'verify' }
  /** The version in force, with another cluster, founder or split: said again, without running anything. */
  | { readonly kind: 'republish' }
  /** Withdrawn before it was verified: kept, and verified if that is taken back. */
  | { readonly kind: 'withdrawn' }
  /** Being verified already, or judged and found wanting: the newer event is kept. */
  | { readonly kind: 'keep' }
  /** A higher version is known. */
  | { readonly kind: 'superseded' };

/** @param withdrawnVersion the highest version that any stage withdraws; 0 when none does */
export function decideVerification(
  version: number,
  known: Pick<KnownProblem, 'version' | 'state' | 'verifiedVersion'> | undefined,
  withdrawnVersion: number,
): VerificationDecision {
  if (known && version < known.version) return { kind: 'superseded' };
  if (known && version === known.verifiedVersion) return { kind: 'republish' };
  if (version <= withdrawnVersion) return { kind: 'withdrawn' };
  const isNew = known === undefined || version > known.version;
  if (isNew || known.state === 'removed' || known.state === 'waiting') return { kind: 'verify' };
  return { kind: 'keep' };
}

import { type Cause, type StageTransaction } from '@tidemark/stage-runtime';
import { lockClusters } from '../postgres/clusters.ts';
import { type Exclusion, loadVersions, saveExclusions } from '../postgres/problems.ts';
import type { Reconciler } from './reconciler.ts';

/** Takes another stage's word against problems, and lets the next of each cluster represent. */
export async function exclude(
  tx: StageTransaction,
  reconciler: Reconciler,
  exclusions: readonly (Exclusion & { readonly cause: Cause })[],
): Promise<void> {
  if (exclusions.length === 0) return;
  const ids = exclusions.map((one) => one.problemId);
  const before = await loadVersions(tx, ids);
  await lockClusters(tx, identitiesOf(before));
  const changed = new Set(await saveExclusions(tx, exclusions));
  // A problem that came or moved meanwhile: its cluster is locked now, out of order at worst, and then tried again.
  const after = await loadVersions(tx, ids);
  await lockClusters(tx, identitiesOf(after));
  const causes = new Map<string, Cause>();
  for (const { problemId, cause } of exclusions) {
    const identity = after.get(problemId)?.identity;
    if (identity !== undefined && changed.has(problemId) && !causes.has(identity)) causes.set(identity, cause);
  }
  await reconciler.reconcile(tx, causes);
}

function identitiesOf(known: ReadonlyMap<string, { readonly identity: string | undefined }>): string[] {
  return [...known.values()].flatMap(({ identity }) => (identity === undefined ? [] : [identity]));
}

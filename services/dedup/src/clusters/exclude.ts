import { type Cause, type StageTransaction } from '@tidemark/stage-runtime';
import { lockPlaces } from '../postgres/clusters.ts';
import { type Exclusion, loadVersions, type Place, saveExclusions } from '../postgres/problems.ts';
import type { Reconciler, Touched } from './reconciler.ts';

/** Takes another stage's word against problems, and lets the next of each cluster represent. */
export async function exclude(
  tx: StageTransaction,
  reconciler: Reconciler,
  exclusions: readonly (Exclusion & { readonly cause: Cause })[],
): Promise<void> {
  if (exclusions.length === 0) return;
  const ids = exclusions.map((one) => one.problemId);
  const before = await loadVersions(tx, ids);
  await lockPlaces(tx, placesOf(before));
  const changed = new Set(await saveExclusions(tx, exclusions));
  // A problem that came or moved meanwhile: its cluster is locked now, out of order at worst, and then tried again.
  const after = await loadVersions(tx, ids);
  await lockPlaces(tx, placesOf(after));
  const touched: Touched[] = [];
  for (const { problemId, cause } of exclusions) {
    const place = after.get(problemId)?.place;
    if (place !== undefined && changed.has(problemId)) touched.push({ ...place, cause });
  }
  await reconciler.reconcile(tx, touched);
}

function placesOf(known: ReadonlyMap<string, { readonly place: Place | undefined }>): Place[] {
  return [...known.values()].flatMap(({ place }) => (place === undefined ? [] : [place]));
}

import { type Counts, tally } from '@tidemark/difficulty';
import type { Sql } from '@tidemark/stage-runtime';
import { addToBuckets, noteCounted, noteUnevaluated, type Unevaluated } from '../postgres/evidence.ts';
import { type EvidenceBucket, isEvidence } from './decide-counting.ts';

/** A group that is ready to be counted. */
export interface ReadyGroup {
  readonly groupId: string;
  readonly bucket: EvidenceBucket;
  readonly counts: Counts;
}

/** Counts groups, each id once under each suite, and notes what the next evaluation has to look at. */
export async function countGroups(tx: Sql, groups: readonly ReadyGroup[]): Promise<void> {
  const fresh = new Set((await noteCounted(tx, groups.map(asCounted))).map(identityOf));
  // A repeated id within the batch: the first stands, as it would between batches.
  const identified = groups.map((group) => ({ ...group, groupId: identityOf(asCounted(group)) }));
  const { buckets } = tally(
    identified.filter((group) => fresh.has(group.groupId)),
    bucketKey,
  );
  const additions = [...buckets.values()];
  await addToBuckets(tx, additions);
  await noteUnevaluated(tx, unevaluatedOf(additions));
}

function unevaluatedOf(additions: readonly { bucket: EvidenceBucket; groups: number }[]): Unevaluated[] {
  const notes = new Map<string, Unevaluated>();
  for (const { bucket, groups } of additions) {
    const key = JSON.stringify([bucket.target, bucket.problemId]);
    const before = notes.get(key);
    notes.set(key, {
      target: bucket.target,
      problemId: bucket.problemId,
      countedGroups: (before?.countedGroups ?? 0) + groups,
      evidenceGroups: (before?.evidenceGroups ?? 0) + (isEvidence(bucket) ? groups : 0),
    });
  }
  return [...notes.values()];
}

const asCounted = ({ groupId, bucket }: ReadyGroup) => ({
  target: bucket.target,
  groupId,
  suiteHash: bucket.suiteHash,
  windowHour: bucket.windowHour,
});

const identityOf = (group: { target: string; groupId: string; suiteHash: string }): string =>
  JSON.stringify([group.target, group.groupId, group.suiteHash]);

const bucketKey = (bucket: EvidenceBucket): string =>
  JSON.stringify([
    bucket.target,
    bucket.targetVersion,
    bucket.problemId,
    bucket.problemVersion,
    bucket.suiteHash,
    bucket.judgeVersion,
    bucket.checkpoint,
    bucket.purpose,
    bucket.submitter,
    bucket.promptHash,
    bucket.windowHour,
  ]);

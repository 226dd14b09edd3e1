import { addCounts, type Counts, NO_COUNTS, tally } from '@tidemark/difficulty';
import { isEvidence } from '@tidemark/proto';
import type { Sql } from '@tidemark/stage-runtime';
import { type CountedGroup, identityOf, noteCounted, takeOverruled } from '../postgres/counted-groups.ts';
import { addToBuckets, type BucketAddition, noteUnevaluated, type Unevaluated } from '../postgres/evidence.ts';
import type { EvidenceBucket } from './decide-counting.ts';

/** A group that is ready to be counted. */
export type ReadyGroup = CountedGroup;

/**
 * Counts groups, each once under each suite that graded it, and notes what the next evaluation has to look at. What was
 * graded under no named suite counts only while the group was graded under none.
 */
export async function countGroups(tx: Sql, groups: readonly ReadyGroup[]): Promise<void> {
  const noted = await noteCounted(tx, groups);
  const fresh = groups.filter((group) => noted.has(identityOf(group)));
  if (fresh.length === 0) return;
  // A repeated id within the batch: the first stands, as it would between batches.
  const { buckets } = tally(
    fresh.map((group) => ({ ...group, groupId: identityOf(group) })),
    bucketKey,
  );
  const counted = [...buckets.values()];
  const overruled = await takeOverruled(tx, fresh);
  await addToBuckets(tx, sumByBucket([...counted, ...overruled.map(asNegative)]));
  await noteUnevaluated(tx, [
    ...unevaluatedOf(counted),
    // Taken out again: fewer groups, and nothing less to look at.
    ...overruled.map(({ bucket }) => ({ ...problemOf(bucket), countedGroups: -1, evidenceGroups: 0 })),
  ]);
}

function unevaluatedOf(additions: readonly BucketAddition[]): Unevaluated[] {
  const notes = new Map<string, Unevaluated>();
  for (const { bucket, groups } of additions) {
    const key = JSON.stringify([bucket.target, bucket.problemId]);
    const before = notes.get(key);
    notes.set(key, {
      ...problemOf(bucket),
      countedGroups: (before?.countedGroups ?? 0) + groups,
      evidenceGroups: (before?.evidenceGroups ?? 0) + (isEvidence(bucket.purpose) ? groups : 0),
    });
  }
  return [...notes.values()];
}

const problemOf = ({ target, problemId }: EvidenceBucket) => ({ target, problemId });

const asNegative = ({ bucket, counts }: { bucket: EvidenceBucket; counts: Counts }): BucketAddition => ({
  bucket,
  groups: -1,
  counts: {
    attempts: -counts.attempts,
    passes: -counts.passes,
    truncated: -counts.truncated,
    environment: -counts.environment,
  },
});

function sumByBucket(additions: readonly BucketAddition[]): BucketAddition[] {
  const sums = new Map<string, BucketAddition>();
  for (const { bucket, groups, counts } of additions) {
    const key = bucketKey(bucket);
    const before = sums.get(key) ?? { groups: 0, counts: NO_COUNTS };
    sums.set(key, { bucket, groups: before.groups + groups, counts: addCounts(before.counts, counts) });
  }
  return [...sums.values()];
}

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

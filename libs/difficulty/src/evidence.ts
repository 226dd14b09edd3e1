/**
 * What is counted of attempts at one problem. Counts add up, so neither the order of arrival nor the replica that adds
 * them matters.
 */
export interface Counts {
  /** n: attempts that say something about the model; environment failures are not among them. */
  readonly attempts: number;
  /** c: attempts whose every judging test passed; 0 … attempts. */
  readonly passes: number;
  /** Attempts cut at the token limit; they are also among `attempts`, as failures. */
  readonly truncated: number;
  /** Attempts that an environment failure kept from saying anything; not in `attempts`. */
  readonly environment: number;
}

export const NO_COUNTS: Counts = { attempts: 0, passes: 0, truncated: 0, environment: 0 };

export function addCounts(a: Counts, b: Counts): Counts {
  return {
    attempts: a.attempts + b.attempts,
    passes: a.passes + b.passes,
    truncated: a.truncated + b.truncated,
    environment: a.environment + b.environment,
  };
}

/** What one attempt's verdict says: it passed, it failed, the environment failed, or this release can't tell. */
export type Finding = 'pass' | 'fail' | 'environment' | 'unknown';

/** One attempt, reduced to what is counted. */
export interface Attempt {
  readonly finding: Finding;
  /** The answer was cut at the token limit. */
  readonly truncated: boolean;
}

/**
 * Counts a group. `undefined` when a verdict is unknown to this release: such a group is neither counted nor skipped, it
 * is parked until a release that knows the verdict counts it whole.
 *
 * A truncated answer is a failed attempt, even if what came before the cut should pass.
 */
export function countGroup(attempts: readonly Attempt[]): Counts | undefined {
  let counts = NO_COUNTS;
  for (const { finding, truncated } of attempts) {
    switch (finding) {
      case 'unknown':
        return undefined;
      case 'environment':
        counts = addCounts(counts, { ...NO_COUNTS, environment: 1 });
        break;
      case 'pass':
      case 'fail':
        counts = addCounts(counts, {
          attempts: 1,
          passes: finding === 'pass' && !truncated ? 1 : 0,
          truncated: truncated ? 1 : 0,
          environment: 0,
        });
        break;
    }
  }
  return counts;
}

/** A group with its identity and the bucket it falls into. */
export interface GroupToCount<Bucket> {
  readonly groupId: string;
  readonly bucket: Bucket;
  readonly counts: Counts;
}

/**
 * Adds up groups per bucket, each id once.
 *
 * @param bucketKey a text that is equal exactly for equal buckets
 * @param alreadyCounted ids of groups counted before; a group among them changes nothing
 */
export function tally<Bucket>(
  groups: Iterable<GroupToCount<Bucket>>,
  bucketKey: (bucket: Bucket) => string,
  alreadyCounted: ReadonlySet<string> = new Set(),
): {
  readonly buckets: Map<string, { bucket: Bucket; groups: number; counts: Counts }>;
  readonly counted: Set<string>;
} {
  const buckets = new Map<string, { bucket: Bucket; groups: number; counts: Counts }>();
  const counted = new Set<string>();
  for (const { groupId, bucket, counts } of groups) {
    if (alreadyCounted.has(groupId) || counted.has(groupId)) continue;
    counted.add(groupId);
    const key = bucketKey(bucket);
    const before = buckets.get(key);
    buckets.set(key, {
      bucket,
      groups: (before?.groups ?? 0) + 1,
      counts: addCounts(before?.counts ?? NO_COUNTS, counts),
    });
  }
  return { buckets, counted };
}

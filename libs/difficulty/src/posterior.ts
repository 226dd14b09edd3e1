import type { Beta } from './beta.ts';

/** What a bucket of evidence weighs in with. */
export interface AgedCounts {
  /** d: how many checkpoints the target has advanced since; an integer >= 0. */
  readonly age: number;
  /** n of the bucket. */
  readonly attempts: number;
  /** c of the bucket, 0 … attempts. */
  readonly passes: number;
}

/** The default share of its weight that evidence keeps with each checkpoint. */
export const DEFAULT_RETENTION = 0.9;

export interface Posterior {
  readonly distribution: Beta;
  /** Undiscounted n of the evidence in force. */
  readonly attempts: number;
  /** Undiscounted c of the evidence in force. */
  readonly passes: number;
}

/**
 * The Beta posterior of a problem's pass rate: alpha = alpha0 + sum retention^d c, beta = beta0 + sum retention^d (n - c),
 * with the prior Beta(alpha0, beta0) = Beta(m p0, m (1 - p0)).
 *
 * The discounted count of MoPPS (arXiv:2507.04632) and BOTS (arXiv:2510.26374), kept as a sum over dated buckets instead of
 * a recursion: the order of arrival doesn't matter, and a bucket can be left out afterwards. Counts of one age are added
 * as integers before they are weighed, and ages are weighed from new to old, so equal evidence gives equal bits.
 *
 * @param retention in 0 … 1; 1 never forgets, 0 counts the current checkpoint alone
 * @throws RangeError when retention, an age or a count is out of range
 */
export function posteriorOf(
  prior: Beta,
  buckets: Iterable<AgedCounts>,
  retention: number = DEFAULT_RETENTION,
): Posterior {
  if (!(retention >= 0 && retention <= 1)) throw new RangeError(`retention lies in 0 … 1, got ${retention}`);
  const byAge = new Map<number, { attempts: number; passes: number }>();
  let attempts = 0;
  let passes = 0;
  for (const bucket of buckets) {
    requireCounts(bucket);
    const sum = byAge.get(bucket.age) ?? { attempts: 0, passes: 0 };
    byAge.set(bucket.age, { attempts: sum.attempts + bucket.attempts, passes: sum.passes + bucket.passes });
    attempts += bucket.attempts;
    passes += bucket.passes;
  }
  let { alpha, beta } = prior;
  for (const age of [...byAge.keys()].sort((x, y) => x - y)) {
    const sum = byAge.get(age) ?? { attempts: 0, passes: 0 };
    const weight = retention ** age;
    alpha += weight * sum.passes;
    beta += weight * (sum.attempts - sum.passes);
  }
  return { distribution: { alpha, beta }, attempts, passes };
}

function requireCounts({ age, attempts, passes }: AgedCounts): void {
  if (!(Number.isInteger(age) && age >= 0)) throw new RangeError(`an age is an integer >= 0, got ${age}`);
  if (!(Number.isInteger(attempts) && Number.isInteger(passes) && passes >= 0 && passes <= attempts))
    throw new RangeError(`counts are integers with 0 <= passes <= attempts, got ${passes} of ${attempts}`);
}

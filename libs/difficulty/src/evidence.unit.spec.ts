import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FLAT_PRIOR } from './beta.ts';
import { addCounts, type Attempt, countGroup, type Finding, type GroupToCount, NO_COUNTS, tally } from './evidence.ts';
import { type AgedCounts, posteriorOf } from './posterior.ts';

const attempt = (finding: Finding, truncated = false): Attempt => ({ finding, truncated });
const attempts = fc.array(
  fc.record({ finding: fc.constantFrom<Finding>('pass', 'fail', 'environment'), truncated: fc.boolean() }),
  { maxLength: 16 },
);
const bucketKey = (bucket: string) => bucket;

describe('counting a group', () => {
  it('keeps environment failures out of n and c', () => {
    expect(countGroup([attempt('pass'), attempt('fail'), attempt('environment')])).toEqual({
      attempts: 2,
      passes: 1,
      truncated: 0,
      environment: 1,
    });
  });

  it('counts a truncated answer as a failed attempt, and apart', () => {
    expect(countGroup([attempt('fail', true), attempt('pass', true)])).toEqual({
      attempts: 2,
      passes: 0,
      truncated: 2,
      environment: 0,
    });
  });

  it('says nothing about an environment failure that was also truncated', () => {
    expect(countGroup([attempt('environment', true)])).toEqual({ ...NO_COUNTS, environment: 1 });
  });

  it('does not count a group with a verdict that it does not know', () => {
    expect(countGroup([attempt('pass'), attempt('unknown')])).toBeUndefined();
  });

  it('accounts for every attempt once', () => {
    fc.assert(
      fc.property(attempts, (group) => {
        const counts = countGroup(group);
        expect((counts?.attempts ?? 0) + (counts?.environment ?? 0)).toBe(group.length);
      }),
    );
  });
});

/** Ids from a small pool, so that replays happen; one id always carries the same group. */
const groups = fc
  .array(fc.record({ bucket: fc.constantFrom('a', 'b', 'c'), group: attempts }), { minLength: 1, maxLength: 12 })
  .map((pool) =>
    pool.map(
      ({ bucket, group }, i): GroupToCount<string> => ({
        groupId: `group-${i}`,
        bucket,
        counts: countGroup(group) ?? NO_COUNTS,
      }),
    ),
  );

describe('tallying groups', () => {
  it('does not depend on the order of arrival', () => {
    fc.assert(
      fc.property(
        groups.chain((all) => fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length }))),
        ([all, shuffled]) => {
          const byKey = (list: GroupToCount<string>[]) =>
            [...tally(list, bucketKey).buckets].sort(([p], [q]) => (p < q ? -1 : 1));
          expect(byKey(shuffled)).toEqual(byKey(all));
        },
      ),
    );
  });

  it('is not changed by a replayed id, within a batch or after it', () => {
    fc.assert(
      fc.property(
        groups.chain((all) => fc.tuple(fc.constant(all), fc.subarray(all))),
        ([all, replayed]) => {
          const once = tally(all, bucketKey);
          expect(tally([...all, ...replayed], bucketKey)).toEqual(once);
          expect(tally(replayed, bucketKey, once.counted).buckets.size).toBe(0);
        },
      ),
    );
  });

  it('gives the same sums in one batch and in two', () => {
    fc.assert(
      fc.property(groups, fc.nat(), (all, at) => {
        const cut = at % (all.length + 1);
        const first = tally(all.slice(0, cut), bucketKey);
        const second = tally(all.slice(cut), bucketKey, first.counted);
        const whole = tally(all, bucketKey);
        for (const [key, { counts }] of whole.buckets)
          expect(
            addCounts(first.buckets.get(key)?.counts ?? NO_COUNTS, second.buckets.get(key)?.counts ?? NO_COUNTS),
          ).toEqual(counts);
      }),
    );
  });
});

const aged = fc
  .integer({ min: 0, max: 40 })
  .chain((n) => fc.record({ age: fc.nat(30), attempts: fc.constant(n), passes: fc.integer({ min: 0, max: n }) }));

describe('posterior', () => {
  it('adds passes and failures to the prior', () => {
    expect(posteriorOf(FLAT_PRIOR, [{ age: 0, attempts: 8, passes: 3 }])).toEqual({
      distribution: { alpha: 4, beta: 6 },
      attempts: 8,
      passes: 3,
    });
  });

  it('weighs a bucket that is d checkpoints old with retention^d', () => {
    const { distribution, attempts: n } = posteriorOf(
      { alpha: 2, beta: 3 },
      [
        { age: 0, attempts: 8, passes: 4 },
        { age: 2, attempts: 10, passes: 5 },
      ],
      0.9,
    );
    expect(distribution.alpha).toBeCloseTo(2 + 4 + 0.81 * 5, 12);
    expect(distribution.beta).toBeCloseTo(3 + 4 + 0.81 * 5, 12);
    expect(n).toBe(18);
  });

  it('counts the current checkpoint alone at retention 0', () => {
    const buckets = [
      { age: 0, attempts: 2, passes: 1 },
      { age: 1, attempts: 9, passes: 9 },
    ];
    expect(posteriorOf(FLAT_PRIOR, buckets, 0).distribution).toEqual({ alpha: 2, beta: 2 });
  });

  it('is the same to the last bit in whatever order and division the buckets come', () => {
    fc.assert(
      fc.property(
        fc
          .array(aged, { maxLength: 30 })
          .chain((all) => fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length }))),
        fc.double({ min: 0, max: 1, noNaN: true }),
        ([all, shuffled], retention) => {
          const divided: AgedCounts[] = shuffled.flatMap((bucket) => [
            { age: bucket.age, attempts: bucket.passes, passes: bucket.passes },
            { age: bucket.age, attempts: bucket.attempts - bucket.passes, passes: 0 },
          ]);
          expect(posteriorOf(FLAT_PRIOR, divided, retention)).toEqual(posteriorOf(FLAT_PRIOR, all, retention));
        },
      ),
    );
  });

  it.each([
    [{ age: -1, attempts: 1, passes: 0 }, 0.9],
    [{ age: 0.5, attempts: 1, passes: 0 }, 0.9],
    [{ age: 0, attempts: 1, passes: 2 }, 0.9],
    [{ age: 0, attempts: 1, passes: 1 }, 1.1],
  ])('refuses %j with retention %d', (bucket, retention) => {
    expect(() => posteriorOf(FLAT_PRIOR, [bucket], retention)).toThrow(RangeError);
  });
});

import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { graded, SUITE } from '../testing/events.ts';
import { startDatabase, type TestDatabase } from '../testing/database.ts';
import { countGroups, type ReadyGroup } from './count-groups.ts';
import { decideCounting } from './decide-counting.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database?.stop());
const clear = () => database.query('TRUNCATE bucket, counted_group, unevaluated');
beforeEach(clear);

const ready = (...args: Parameters<typeof graded>): ReadyGroup => {
  const counting = decideCounting(graded(...args));
  if (counting.kind !== 'count') throw new Error(counting.kind);
  return counting;
};
const count = (groups: readonly ReadyGroup[]) => database.transaction((tx) => countGroups(tx, groups));
const buckets = () => database.query('SELECT * FROM bucket ORDER BY 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11');
const total = async () => {
  const [row] = await database.query(
    `SELECT sum(groups)::int AS groups, sum(attempts)::int AS attempts, sum(passes)::int AS passes,
            sum(truncated)::int AS truncated, sum(environment)::int AS environment FROM bucket`,
  );
  return row;
};

/** Groups of several problems, checkpoints, windows and suites; one id always carries the same group. */
const someGroups = fc
  .array(
    fc.record({
      verdicts: fc.string({ unit: fc.constantFrom('p', 'f', 't', 'e'), minLength: 1, maxLength: 8 }),
      problem: fc.constantFrom('a', 'b', 'c'),
      checkpoint: fc.constantFrom('base', 'step-1'),
      hour: fc.constantFrom(500_000, 500_001),
      suites: fc.constantFrom([SUITE], [''], ['', SUITE]),
    }),
    { minLength: 1, maxLength: 20 },
  )
  .map((groups) =>
    groups.flatMap(({ verdicts, problem, checkpoint, hour, suites }, i) =>
      suites.map((suiteHash) =>
        ready(`g${i}`, verdicts, { problemId: problem.repeat(32), checkpoint, intakeHour: hour }, { suiteHash }),
      ),
    ),
  );

describe('counting groups', () => {
  it('adds them up in buckets', async () => {
    await count([ready('g1', 'ppft'), ready('g2', 'pe')]);
    await count([ready('g3', 'ff')]);
    expect(await total()).toEqual({ groups: 3, attempts: 7, passes: 3, truncated: 1, environment: 1 });
    expect(await buckets()).toHaveLength(1);
  });

  it('is not changed by a replayed id, in the same batch or another', async () => {
    await count([ready('g1', 'pp'), ready('g1', 'pp')]);
    await count([ready('g1', 'pp')]);
    expect(await total()).toMatchObject({ groups: 1, attempts: 2 });
    expect(await database.query('SELECT sum(counted_groups)::int AS n FROM unevaluated')).toEqual([{ n: 1 }]);
  });

  it('counts a regraded group once under each suite, and the same id of two targets twice', async () => {
    await count([ready('g1', 'pp'), ready('g1', 'pf', {}, { suiteHash: 'b'.repeat(64) })]);
    await count([ready('g1', 'ff', { target: 'line-b' })]);
    expect(await total()).toMatchObject({ groups: 3 });
  });

  it('counts the same id of two submitters, and of two problems, as what they are', async () => {
    await count([ready('g1', 'pp')]);
    await count([ready('g1', 'pf', {}, { submitter: { name: 'another' } })]);
    await count([ready('g1', 'ff', { problemId: 'f'.repeat(32) })]);
    expect(await total()).toMatchObject({ groups: 3, attempts: 6, passes: 3 });
  });

  it('counts a group under its suite alone when it was graded without a named one too, in any order', async () => {
    const unnamed = ready('g1', 'pppp', {}, { suiteHash: '' });
    const named = ready('g1', 'pfff');
    const other = ready('g2', 'ff', {}, { suiteHash: '' });
    for (const batches of [
      [[unnamed, other], [named]],
      [[named], [unnamed, other]],
      [[named, unnamed, other, unnamed]],
    ]) {
      await clear();
      for (const batch of [...batches, ...batches]) await count(batch);
      expect(await total()).toEqual({ groups: 2, attempts: 6, passes: 1, truncated: 0, environment: 0 });
      expect(await database.query('SELECT sum(counted_groups)::int AS n FROM unevaluated')).toEqual([{ n: 2 }]);
      expect(await buckets()).toHaveLength(2);
    }
  });

  it('counts no group again that was counted before its problem and submitter were noted with its id', async () => {
    const named = ready('g1', 'pp');
    const unnamed = ready('g1', 'pp', {}, { suiteHash: '' });
    for (const [before, sentAgain] of [
      [named, named],
      [named, unnamed],
      [unnamed, named],
      [unnamed, unnamed],
    ] as const) {
      await clear();
      await count([before]);
      await database.query(`UPDATE counted_group SET problem_id = '', submitter = '', unnamed = NULL`);
      await count([sentAgain, sentAgain]);
      expect(await total()).toMatchObject({ groups: 1, attempts: 2 });
      // Those that bear the same id without being it.
      await count([
        ready('g1', 'p', {}, { submitter: { name: 'another' } }),
        ready('g1', 'p', { problemId: 'f'.repeat(32) }),
        ready('g1', 'p', { target: 'line-b' }),
      ]);
      expect(await total()).toMatchObject({ groups: 4, attempts: 5 });
    }
    await clear();
    await count([named]);
    await database.query(`UPDATE counted_group SET problem_id = '', submitter = ''`);
    await count([ready('g1', 'pf', {}, { suiteHash: 'b'.repeat(64) })]);
    expect(await total()).toMatchObject({ groups: 2 });
  });

  it('notes which groups an evaluation has to look at', async () => {
    await count([ready('g1', 'p'), ready('g2', 'p'), ready('g3', 'p', {}, { heldOut: true })]);
    expect(await database.query('SELECT target, counted_groups, evidence_groups FROM unevaluated')).toEqual([
      { target: 'line-a', counted_groups: 3, evidence_groups: 2 },
    ]);
  });

  it('comes to the same buckets in whatever order, division and repetition the groups arrive, also at once', async () => {
    await fc.assert(
      fc.asyncProperty(
        someGroups.chain((all) =>
          fc.tuple(
            fc.constant(all),
            fc.shuffledSubarray([...all, ...all], { minLength: all.length * 2 }),
            fc.nat({ max: all.length * 2 }),
          ),
        ),
        async ([all, shuffled, cut]) => {
          await clear();
          await count(all);
          const once = await buckets();
          await clear();
          // Two replicas with the same groups, each in its own transaction.
          await Promise.all([count(shuffled.slice(0, cut)), count(shuffled.slice(cut))]);
          expect(await buckets()).toEqual(once);
        },
      ),
      { numRuns: 25 },
    );
  });
});

import { EvaluationTrigger } from '@tidemark/proto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { countGroups } from '../on-rollouts-graded/count-groups.ts';
import { decideCounting } from '../on-rollouts-graded/decide-counting.ts';
import { decideSettings } from '../on-target-declared/decide-settings.ts';
import { startDatabase, type TestDatabase } from '../testing/database.ts';
import { declared, graded, PROBLEM, SUITE } from '../testing/events.ts';
import { loadTarget, loadWaiting, settle, targetsWithWork } from './evaluations.ts';
import { loadEvidence } from './load-evidence.ts';
import {
  readyProblems,
  saveSplits,
  saveSuiteChanges,
  saveVerified,
  saveWithdrawals,
  switchSuite,
  takeBackWithdrawals,
} from './problems.ts';
import { addCalibration, requestEvaluation, saveCheckpoint, saveTargetVersion } from './targets.ts';

const NEW_SUITE = 'b'.repeat(64);
let database: TestDatabase;
beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database?.stop());
beforeEach(async () => {
  await database.query(
    `TRUNCATE bucket, counted_group, unevaluated, problem_version, withdrawal, target, target_version, calibration,
              checkpoint, estimate, evaluation_request`,
  );
  await saveSplits(
    database,
    [PROBLEM, 'f'.repeat(32)].map((problemId) => ({ problemId, version: 1, heldOut: false })),
  );
});

const count = (...groups: Parameters<typeof graded>[]) =>
  database.transaction((tx) =>
    countGroups(
      tx,
      groups.map((group) => {
        const counting = decideCounting(graded(...group));
        if (counting.kind !== 'count') throw new Error(counting.kind);
        return counting;
      }),
    ),
  );
const ages = (checkpoint: string) => (checkpoint === 'base' ? 0 : 1);
const evidence = (scope: 'all' | 'touched' = 'all') => loadEvidence(database, 'line-a', 1, scope, ages);
const counts = async () => (await evidence()).map(({ buckets }) => buckets.map(({ attempts }) => attempts));
const declare = async (version = 1) => {
  const decision = decideSettings(declared({ version }));
  if (decision.kind !== 'usable') throw new Error(decision.faults.join());
  return database.transaction(async (tx) => {
    const fresh = await saveTargetVersion(tx, decision.settings);
    return fresh ? addCalibration(tx, 'line-a', version, { alpha: 1, beta: 1 }) : undefined;
  });
};

describe('evidence in force', () => {
  it('is the sum over submitters, judges and windows, apart by checkpoint', async () => {
    await count(['g1', 'pf'], ['g2', 'ppe', { intakeHour: 7 }], ['g3', 'tf', { checkpoint: 'old' }]);
    expect(await evidence()).toEqual([
      {
        problemId: PROBLEM,
        problemVersion: 1,
        suiteHash: '',
        buckets: [
          { age: 0, attempts: 4, passes: 3 },
          { age: 1, attempts: 2, passes: 0 },
        ],
        newestCheckpoint: 'base',
        truncated: 1,
        environment: 1,
      },
    ]);
  });

  it('leaves the exam, canaries, other targets and other versions of the target out', async () => {
    await count(
      ['g1', 'p'],
      ['g2', 'pp', { purpose: 3 }],
      ['g3', 'pp', { purpose: 4 }],
      ['g4', 'pp', {}, { heldOut: true }],
      ['g5', 'pp', { target: 'line-b' }],
      ['g6', 'pp', { targetVersion: 2 }],
    );
    expect(await counts()).toEqual([[1]]);
  });

  it('is of the newest verified version: a version on its way does not count yet', async () => {
    await saveVerified(database, [{ problemId: PROBLEM, version: 1, suiteHash: SUITE }]);
    await count(['g1', 'p'], ['g2', 'pp', { version: 2 }]);
    expect(await counts()).toEqual([[1]]);
    await saveVerified(database, [{ problemId: PROBLEM, version: 2, suiteHash: SUITE }]);
    expect(await counts()).toEqual([[2]]);
  });

  it('is of the old suite until a regrade has completed, then of the new one', async () => {
    await saveVerified(database, [{ problemId: PROBLEM, version: 1, suiteHash: SUITE }]);
    await count(['g1', 'p'], ['g2', 'p']);
    await saveSuiteChanges(database, [
      { problemId: PROBLEM, version: 1, oldSuiteHash: SUITE, newSuiteHash: NEW_SUITE },
    ]);
    await saveVerified(database, [{ problemId: PROBLEM, version: 1, suiteHash: NEW_SUITE }]);
    await count(['g1', 'f', {}, { suiteHash: NEW_SUITE }]);
    expect(await counts()).toEqual([[2]]);
    await declare();
    expect(await switchSuite(database, PROBLEM)).toEqual(['line-a']);
    expect(await counts()).toEqual([[1]]);
    expect(await switchSuite(database, PROBLEM)).toEqual([]);
  });

  it('is of the new suite at once where the old one judged nothing', async () => {
    await saveSuiteChanges(database, [
      { problemId: PROBLEM, version: 1, oldSuiteHash: SUITE, newSuiteHash: NEW_SUITE },
    ]);
    await count(['g1', 'f', {}, { suiteHash: NEW_SUITE }]);
    expect(await counts()).toEqual([[1]]);
  });

  it('comes to the same suite whichever of verification and change arrives first', async () => {
    const change = { problemId: PROBLEM, version: 1, oldSuiteHash: SUITE, newSuiteHash: NEW_SUITE };
    const suites = () =>
      database.query('SELECT suite_hash, next_suite_hash FROM problem_version WHERE problem_id = $1', [PROBLEM]);
    await saveSuiteChanges(database, [change]);
    await saveVerified(database, [{ problemId: PROBLEM, version: 1, suiteHash: NEW_SUITE }]);
    const changeFirst = await suites();
    await database.query('TRUNCATE problem_version');
    await saveSplits(database, [{ problemId: PROBLEM, version: 1, heldOut: false }]);
    await saveVerified(database, [{ problemId: PROBLEM, version: 1, suiteHash: SUITE }]);
    await saveVerified(database, [{ problemId: PROBLEM, version: 1, suiteHash: NEW_SUITE }]);
    await saveSuiteChanges(database, [change]);
    expect(await suites()).toEqual(changeFirst);
    expect(changeFirst).toEqual([{ suite_hash: SUITE, next_suite_hash: NEW_SUITE }]);
  });

  it('is none while a stage withdraws the version', async () => {
    await count(['g1', 'p']);
    await saveWithdrawals(database, [{ problemId: PROBLEM, stage: 'EXECUTE', version: 1 }]);
    // A report under a lease that was given before.
    await count(['g2', 'ff']);
    expect(await counts()).toEqual([[]]);
    await takeBackWithdrawals(database, [{ problemId: PROBLEM, stage: 'EXECUTE' }]);
    expect(await counts()).toEqual([[3]]);
  });

  it('is none of a held-out problem, whoever graded it, and none before its side is known', async () => {
    await saveSplits(database, [{ problemId: PROBLEM, version: 1, heldOut: true }]);
    // Trusted grades come without a word about the exam.
    await count(['g1', 'p', {}, { suiteHash: '' }]);
    expect(await counts()).toEqual([[]]);
    await count(['g2', 'p', { problemId: '9'.repeat(32) }]);
    expect(await counts()).toEqual([[], []]);
    await saveSplits(database, [{ problemId: PROBLEM, version: 1, heldOut: false }]);
    expect(await counts()).toEqual([[1], []]);
  });

  it('can be read of what something new was noted of alone', async () => {
    await declare();
    await count(['g1', 'p']);
    await settle(database, 'line-a', []);
    await count(['g2', 'p', { problemId: 'f'.repeat(32) }]);
    expect((await evidence('touched')).map(({ problemId }) => problemId)).toEqual(['f'.repeat(32)]);
    expect(await evidence('all')).toHaveLength(2);
  });
});

describe('what waits for an evaluation', () => {
  it('is settled by the evaluation whose snapshot showed it, and nothing else is', async () => {
    await declare();
    await count(['g1', 'p'], ['g2', 'pp']);
    await requestEvaluation(database, 'line-a', EvaluationTrigger.COMMAND, 'c1');
    await database.transaction(async (tx) => {
      const waiting = await loadWaiting(tx, 'line-a');
      expect(waiting).toMatchObject({ evidenceGroups: 2, requests: [{ commandId: 'c1' }] });
      // Arrives after the snapshot, on another connection.
      await count(['g3', 'p']);
      expect(
        await settle(
          tx,
          'line-a',
          waiting.requests.map(({ id }) => id),
        ),
      ).toEqual({ number: 1n, countedGroups: 2n });
    }, 'REPEATABLE READ');
    expect(await loadWaiting(database, 'line-a')).toMatchObject({ evidenceGroups: 1, requests: [] });
    expect(await settle(database, 'line-a', [])).toEqual({ number: 2n, countedGroups: 3n });
  });

  it('is no work while no side of its problem is known, and is there when one is, whatever came between', async () => {
    const [late, known] = ['9'.repeat(32), PROBLEM];
    await declare();
    await count(['g1', 'pp', { problemId: late }], ['g2', 'p', { problemId: late }]);
    expect(await targetsWithWork(database)).toEqual([]);
    await count(['g3', 'p', { problemId: known }]);
    await database.transaction(async (tx) => {
      expect(await loadWaiting(tx, 'line-a')).toMatchObject({ evidenceGroups: 1 });
      // The side becomes known after the snapshot, by a transaction that did not see the group and so noted nothing.
      await saveSplits(database, [{ problemId: late, version: 1, heldOut: false }]);
      expect(await settle(tx, 'line-a', [])).toEqual({ number: 1n, countedGroups: 3n });
    }, 'REPEATABLE READ');
    expect(await targetsWithWork(database)).toEqual(['line-a']);
    expect(await loadWaiting(database, 'line-a')).toMatchObject({ evidenceGroups: 2 });
    expect(await evidence('touched')).toMatchObject([{ problemId: late, buckets: [{ attempts: 3 }] }]);
    expect(await settle(database, 'line-a', [])).toEqual({ number: 2n, countedGroups: 3n });
    expect(await targetsWithWork(database)).toEqual([]);
  });

  it('makes no work of targets that nobody declared', async () => {
    await count(['g1', 'p']);
    expect(await targetsWithWork(database)).toEqual([]);
    await declare();
    expect(await targetsWithWork(database)).toEqual(['line-a']);
  });
});

describe('targets', () => {
  it('get one calibration a version, numbered in a row', async () => {
    expect([await declare(1), await declare(1), await declare(2)]).toEqual([1, undefined, 2]);
    expect(await loadTarget(database, 'line-a')).toMatchObject({
      settings: { version: 2 },
      calibration: { version: 2, priorAlpha: 1, priorBeta: 1 },
    });
  });

  it('keep their newest version when an older declaration arrives late', async () => {
    await declare(2);
    await declare(1);
    expect((await loadTarget(database, 'line-a'))?.settings.version).toBe(2);
  });

  it('tell a new checkpoint from one that is known', async () => {
    expect(await saveCheckpoint(database, 'line-a', 'base', 0)).toBe(true);
    expect(await saveCheckpoint(database, 'line-a', 'base', 0)).toBe(false);
    expect(await saveCheckpoint(database, 'line-a', 'base', 1)).toBe(true);
  });
});

describe('problems ready to be measured', () => {
  it('are verified, on the trainers’ side, not withdrawn, in their newest version', async () => {
    const id = (n: number) => String(n).repeat(32);
    const suiteHash = SUITE;
    await saveVerified(database, [
      { problemId: id(1), version: 1, suiteHash },
      { problemId: id(1), version: 2, suiteHash },
      { problemId: id(2), version: 1, suiteHash },
      { problemId: id(3), version: 1, suiteHash },
      { problemId: id(4), version: 1, suiteHash },
    ]);
    await saveSplits(database, [
      { problemId: id(1), version: 2, heldOut: false },
      { problemId: id(2), version: 1, heldOut: true },
      { problemId: id(3), version: 1, heldOut: false },
      { problemId: id(4), version: 1, heldOut: false },
      { problemId: id(5), version: 1, heldOut: false },
    ]);
    await saveWithdrawals(database, [{ problemId: id(3), stage: 'DEDUP', version: 1 }]);
    expect(await readyProblems(database, '', 10)).toEqual([
      { problemId: id(1), version: 2 },
      { problemId: id(4), version: 1 },
    ]);
    expect(await readyProblems(database, id(1), 10)).toEqual([{ problemId: id(4), version: 1 }]);
  });
});

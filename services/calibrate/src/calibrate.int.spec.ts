import { setTimeout as sleep } from 'node:timers/promises';
import { create, toBinary } from '@bufbuild/protobuf';
import { topics } from '@tidemark/event-log';
import {
  Bin,
  CheckpointAdvancedSchema,
  CommandCompletedSchema,
  CommandOutcome,
  CommandRequestedSchema,
  EvaluationTrigger,
  ProblemUniqueSchema,
  ProblemVerifiedSchema,
  ProblemWithdrawnSchema,
  RolloutsGradedSchema,
  Split,
  Stage,
  SuiteChangedSchema,
} from '@tidemark/proto';
import { deadLetters, LeaseLostError } from '@tidemark/stage-runtime';
import { type StageHarness, startStage } from '@tidemark/stage-runtime/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { Evaluator } from './evaluate/evaluator.ts';
import { calibrateService } from './index.ts';
import { declared, graded, PROBLEM, SUITE } from './testing/events.ts';

let stage: StageHarness | undefined;
afterEach(async () => {
  await stage?.stop();
  stage = undefined;
});
/** Groups alone make no evaluation point unless a spec says so. */
const commandsOnly = { evaluateAfterGroups: '0', evaluateAfterSeconds: '0' };
const start = async (config: Record<string, string> = commandsOnly): Promise<StageHarness> => {
  stage = await startStage(calibrateService, { config });
  await stage.publish(topics.problemsUnique, onSide(PROBLEM, Split.TRAIN));
  await stage.untilQuiet();
  return stage;
};
const onSide = (problemId: string, split: Split) => create(ProblemUniqueSchema, { problemId, version: 1, split });
const evaluateCommand = (commandId: string, target = 'line-a') =>
  create(CommandRequestedSchema, {
    commandId,
    service: 'calibrate',
    command: { case: 'evaluate', value: { target } },
  });
const measureCommand = (commandId: string, attempts: number) =>
  create(CommandRequestedSchema, {
    commandId,
    service: 'calibrate',
    command: { case: 'measure', value: { target: 'line-a', attempts } },
  });
const values = async <T>(records: Promise<{ value: T | undefined }[]>): Promise<T[]> =>
  (await records).flatMap(({ value }) => (value === undefined ? [] : [value]));
const evaluations = async (s: StageHarness) =>
  (await values(s.published(topics.evaluationsRecorded))).sort((a, b) => Number(a.number - b.number));
const estimates = (s: StageHarness) => values(s.published(topics.difficultyEstimated));
const latest = async (s: StageHarness) =>
  (await estimates(s)).sort((a, b) => Number(a.evaluation - b.evaluation)).at(-1);
const evaluate = async (s: StageHarness, commandId: string) => {
  await s.publish(topics.commandsRequested, evaluateCommand(commandId));
  await s.untilQuiet();
};

describe('calibrate', () => {
  it('gives a declared target calibration 1, which is weak and flat', async () => {
    const s = await start();
    await s.publish(topics.targetsDeclared, declared());
    await s.untilQuiet();
    expect(await values(s.published(topics.calibrationsPublished))).toMatchObject([
      { target: 'line-a', version: 1, targetVersion: 1, weakReason: 'no panel', priorAlpha: 1, priorBeta: 1 },
    ]);
    // Nothing is measured yet: setting a line up is no evaluation point.
    expect(await evaluations(s)).toEqual([]);
  });

  it('evaluates on command: posterior, bin, evidence cut, and the answer to the command', async () => {
    const s = await start();
    await s.publish(topics.targetsDeclared, declared());
    await s.publish(topics.rolloutsGraded, graded('g1', 'pppppppp'), graded('g2', 'pppppppp'), graded('g3', 'e'));
    await s.untilQuiet();
    expect(await estimates(s)).toEqual([]);
    await evaluate(s, 'c1');

    expect(await estimates(s)).toMatchObject([
      {
        problemId: PROBLEM,
        alpha: 17,
        beta: 1,
        attempts: 16,
        passes: 16,
        environmentFailures: 1,
        bin: Bin.MASTERED,
        previousBin: Bin.UNSPECIFIED,
        predicted: false,
        reason: 'mass_exceeds_enter',
        evaluation: 1n,
        calibrationVersion: 1,
      },
    ]);
    const recorded = (await evaluations(s)).at(-1);
    expect(recorded).toMatchObject({ number: 1n, trigger: EvaluationTrigger.COMMAND, commandId: 'c1', estimates: 1 });
    expect(recorded?.bins).toEqual({ mastered: 1 });
    expect(recorded?.cut?.groups).toBe(3n);
    const read = recorded?.cut?.positions.reduce((sum, { nextOffset }) => sum + Number(nextOffset), 0);
    expect(read).toBeGreaterThanOrEqual(3);
    expect(recorded?.cut?.incarnation).not.toBe('');
    expect(await values(s.published(topics.commandsCompleted))).toMatchObject([
      {
        commandId: 'c1',
        service: 'calibrate',
        outcome: CommandOutcome.DONE,
        results: { evaluation: '1', estimates: '1' },
      },
    ]);
  });

  it('moves problems between bins at evaluation points alone, and says why', async () => {
    const s = await start();
    await s.publish(topics.targetsDeclared, declared());
    await s.publish(topics.rolloutsGraded, graded('g1', 'ffffffff'), graded('g2', 'ffffffff'));
    await s.untilQuiet();
    await evaluate(s, 'c1');
    expect(await latest(s)).toMatchObject({ bin: Bin.UNSOLVED, reason: 'no_pass' });

    await s.publish(topics.rolloutsGraded, graded('g3', 'fffffffp'));
    await s.untilQuiet();
    expect((await estimates(s)).length).toBe(1);
    await evaluate(s, 'c2');
    expect(await latest(s)).toMatchObject({ bin: Bin.HARD, previousBin: Bin.UNSOLVED, reason: 'first_pass' });
    expect((await evaluations(s)).at(-1)?.moves).toMatchObject([{ from: Bin.UNSOLVED, to: Bin.HARD }]);

    // Nothing new: the evaluation is recorded, no estimate is repeated.
    await evaluate(s, 'c3');
    expect((await estimates(s)).length).toBe(2);
    expect((await evaluations(s)).at(-1)).toMatchObject({ number: 3n, estimates: 0, movedCount: 0 });
  });

  it('evaluates by itself after enough groups, or after a time', async () => {
    const s = await start({ evaluateAfterGroups: '3', evaluateAfterSeconds: '1' });
    await s.publish(topics.targetsDeclared, declared());
    await s.untilQuiet();
    await s.publish(topics.rolloutsGraded, graded('g1', 'pf'), graded('g2', 'pf'), graded('g3', 'pf'));
    await s.untilQuiet();
    expect((await evaluations(s))[0]).toMatchObject({ number: 1n, estimates: 1 });
    const before = (await evaluations(s)).length;
    await s.publish(topics.rolloutsGraded, graded('g4', 'pf'));
    await s.untilQuiet();
    expect((await evaluations(s)).at(-1)).toMatchObject({
      number: BigInt(before + 1),
      trigger: EvaluationTrigger.TIME,
    });
  });

  it('lets evidence fade with each checkpoint, which is an evaluation point', async () => {
    const s = await start();
    const advance = (checkpoint: string, ordinal: number) =>
      create(CheckpointAdvancedSchema, { target: 'line-a', checkpoint, ordinal, targetVersion: 1 });
    await s.publish(topics.targetsDeclared, declared({ retention: 0.5 }));
    await s.publish(topics.checkpointsAdvanced, advance('base', 0));
    await s.publish(topics.rolloutsGraded, graded('g1', 'ppppffff'));
    await s.untilQuiet();
    await evaluate(s, 'c1');
    expect(await latest(s)).toMatchObject({ alpha: 5, beta: 5 });
    await s.publish(topics.checkpointsAdvanced, advance('step-50', 50));
    await s.untilQuiet();
    // Made anew at the new checkpoint, of which nothing is known yet.
    const of = { checkpoint: 'step-50', evidenceCheckpoint: 'base' };
    expect(await latest(s)).toMatchObject({ alpha: 3, beta: 3, attempts: 8, ...of });
    await s.publish(topics.rolloutsGraded, graded('g2', 'ee', { checkpoint: 'step-50' }));
    await s.untilQuiet();
    await evaluate(s, 'c2');
    expect(await latest(s)).toMatchObject({ attempts: 8, environmentFailures: 2, ...of });
    await s.publish(topics.rolloutsGraded, graded('g3', 'p', { checkpoint: 'step-50' }));
    await s.untilQuiet();
    await evaluate(s, 'c3');
    expect(await latest(s)).toMatchObject({ attempts: 9, evidenceCheckpoint: 'step-50' });
    expect((await evaluations(s)).at(1)).toMatchObject({ trigger: EvaluationTrigger.CHECKPOINT });
  });

  it('begins afresh with a new version of the target: the old estimates leave', async () => {
    const s = await start();
    await s.publish(
      topics.problemsVerified,
      create(ProblemVerifiedSchema, { problemId: PROBLEM, version: 1, suiteHash: SUITE }),
    );
    await s.publish(topics.targetsDeclared, declared());
    await s.publish(topics.rolloutsGraded, graded('g1', 'pppp'));
    await s.untilQuiet();
    await evaluate(s, 'c1');
    await s.publish(topics.targetsDeclared, declared({ version: 2 }));
    await s.untilQuiet();
    expect((await s.published(topics.difficultyEstimated)).at(-1)).toMatchObject({
      key: `line-a:${PROBLEM}`,
      value: undefined,
    });
    expect((await evaluations(s)).at(-1)).toMatchObject({
      trigger: EvaluationTrigger.CALIBRATION,
      targetVersion: 2,
      calibrationVersion: 2,
      bins: {},
    });
  });

  it('keeps trusted grades of held-out problems for the exam, and those of withdrawn ones until they are taken back', async () => {
    const s = await start();
    const exam = 'e'.repeat(32);
    const gone = 'd'.repeat(32);
    const withdrawn = (takenBack: boolean) =>
      create(ProblemWithdrawnSchema, { problemId: gone, version: 1, stage: Stage.GATEWAY, takenBack });
    await s.publish(topics.problemsUnique, onSide(exam, Split.HELD_OUT), onSide(gone, Split.TRAIN));
    await s.publish(topics.targetsDeclared, declared());
    await s.publish(topics.rolloutsGraded, graded('g0', 'pp', { problemId: gone }));
    await s.untilQuiet();
    await evaluate(s, 'c1');
    expect(await latest(s)).toMatchObject({ problemId: gone, attempts: 2 });

    await s.publish(topics.problemsWithdrawn, withdrawn(false));
    await s.publish(
      topics.rolloutsGraded,
      graded('g1', 'pppppppp', { problemId: exam }, { suiteHash: '' }),
      graded('g2', 'ffff', { problemId: gone }),
    );
    await s.untilQuiet();
    await evaluate(s, 'c2');
    expect((await s.published(topics.difficultyEstimated)).map(({ key, value }) => [key, value?.attempts])).toEqual([
      [`line-a:${gone}`, 2],
      [`line-a:${gone}`, undefined],
    ]);
    expect((await evaluations(s)).at(-1)).toMatchObject({ bins: {}, cut: { groups: 3n } });

    await s.publish(topics.problemsWithdrawn, withdrawn(true));
    await s.untilQuiet();
    await evaluate(s, 'c3');
    expect(await latest(s)).toMatchObject({ problemId: gone, attempts: 6, passes: 2 });
  });

  it('evaluates by itself what was graded before the side of its problem was known', async () => {
    const s = await start({ evaluateAfterGroups: '0', evaluateAfterSeconds: '1' });
    const late = 'c'.repeat(32);
    await s.publish(topics.targetsDeclared, declared());
    await s.publish(topics.rolloutsGraded, graded('g1', 'pp', { problemId: late }));
    await s.untilQuiet();
    expect(await estimates(s)).toEqual([]);
    await s.publish(topics.problemsUnique, onSide(late, Split.TRAIN));
    await s.untilQuiet();
    expect(await latest(s)).toMatchObject({ problemId: late, attempts: 2 });
  });

  it('parks a verdict of a later release and counts it once a release knows it', async () => {
    const s = await start();
    await s.publish(topics.targetsDeclared, declared());
    await s.publish(topics.rolloutsGraded, graded('g1', 'pp'), graded('g2', 'p?'));
    await s.untilQuiet();
    await evaluate(s, 'c1');
    expect((await evaluations(s)).at(-1)?.cut).toMatchObject({ groups: 1n, waitingGroups: 1n });
    // The next release knows what this one could not: stood in for by a verdict that it can read.
    const known = Buffer.from(toBinary(RolloutsGradedSchema, graded('g2', 'pf')));
    await s.query('UPDATE parked_group SET message = $1', [known]);
    await s.restart();
    await expect
      .poll(() => s.query('SELECT count(*)::int AS n FROM parked_group'), { timeout: 20_000 })
      .toEqual([{ n: 0 }]);
    await evaluate(s, 'c2');
    expect(await latest(s)).toMatchObject({ attempts: 4, passes: 3 });
  });

  it('counts parked groups beside one that can no longer be read, and lays that one aside', async () => {
    const s = await start();
    await s.publish(topics.targetsDeclared, declared());
    await s.publish(topics.rolloutsGraded, graded('g1', 'p?'), graded('bad', 'p?'), graded('g2', 'p?'));
    await s.untilQuiet();
    const put = (id: string, bytes: Buffer) =>
      s.query("UPDATE parked_group SET message = $1 WHERE position($2 IN encode(message, 'escape')) > 0", [bytes, id]);
    await put('bad', Buffer.from([0xff, 0xff]));
    for (const id of ['g1', 'g2']) await put(id, Buffer.from(toBinary(RolloutsGradedSchema, graded(id, 'pf'))));
    await expect
      .poll(() => s.query('SELECT count(*)::int AS n FROM parked_group'), { timeout: 30_000 })
      .toEqual([{ n: 0 }]);
    await s.untilQuiet();
    const letters = await s.published(deadLetters(topics.rolloutsGraded.name, 'calibrate'));
    expect(letters.map(({ value }) => [value?.errorCode, value?.handler])).toEqual([
      ['unexpected', 'calibrate/rollouts.graded.v1'],
    ]);
    await evaluate(s, 'c1');
    expect(await latest(s)).toMatchObject({ attempts: 4, passes: 2 });
  });

  it('counts what an older release parks behind its own first look, and lays aside what comes too late for it', async () => {
    const s = await start();
    await s.publish(topics.targetsDeclared, declared());
    await s.publish(topics.rolloutsGraded, graded('g1', 'p?'), graded('g2', 'p?', { intakeHour: 399_999 }));
    await s.untilQuiet();
    // Long after the first look of this replica: what was parked is now readable, and one window is closed.
    await sleep(6_000);
    await s.query('UPDATE closed_window SET before_hour = 400000');
    for (const [id, hour] of [
      ['g1', 500_000],
      ['g2', 399_999],
    ] as const) {
      const known = Buffer.from(toBinary(RolloutsGradedSchema, graded(id, 'pf', { intakeHour: hour })));
      await s.query("UPDATE parked_group SET message = $1 WHERE position($2 IN encode(message, 'escape')) > 0", [
        known,
        id,
      ]);
    }
    const waiting = () => s.query('SELECT count(*)::int AS n FROM parked_group');
    await expect.poll(waiting, { timeout: 20_000 }).toEqual([{ n: 0 }]);
    await s.untilQuiet();
    const letters = await s.published(deadLetters(topics.rolloutsGraded.name, 'calibrate'));
    expect(letters.map(({ value }) => [value?.errorCode, value?.eventId !== ''])).toEqual([['late_group', true]]);
    await evaluate(s, 'c1');
    expect(await latest(s)).toMatchObject({ attempts: 2, passes: 1 });
  });

  it('refuses groups of a closed window as late, and what was never judged, with their bytes in the dead letters', async () => {
    const s = await start();
    await s.publish(topics.targetsDeclared, declared());
    await s.query('UPDATE closed_window SET before_hour = 400000');
    await s.publish(
      topics.rolloutsGraded,
      graded('late', 'pp', { intakeHour: 399_999 }),
      graded('good', 'pf'),
      graded('unjudged', 'p0'),
    );
    const activity = await s.untilQuiet();
    expect(activity.deadLetters[topics.rolloutsGraded.name]).toBe(2);
    await evaluate(s, 'c1');
    expect(await latest(s)).toMatchObject({ attempts: 2 });
  });

  it('counts each group once, whatever is sent again', async () => {
    const s = await start();
    await s.publish(topics.targetsDeclared, declared());
    await s.publish(topics.rolloutsGraded, graded('g1', 'pf'), graded('g1', 'pf'));
    await s.publish(topics.rolloutsGraded, graded('g1', 'pf'));
    await s.untilQuiet();
    await s.restart();
    await s.publish(topics.rolloutsGraded, graded('g1', 'pf'));
    await s.untilQuiet();
    await evaluate(s, 'c1');
    expect(await latest(s)).toMatchObject({ attempts: 2, passes: 1 });
  });

  it('asks for attempts at every ready problem on the command measure', async () => {
    const s = await start();
    const ids = ['1', '2', '3'].map((digit) => digit.repeat(32));
    await s.publish(topics.targetsDeclared, declared({ endpointUrl: 'http://127.0.0.1:9/v1' }));
    await s.publish(
      topics.problemsUnique,
      ...ids.map((problemId, i) =>
        create(ProblemUniqueSchema, { problemId, version: 1, split: i === 2 ? Split.HELD_OUT : Split.TRAIN }),
      ),
    );
    await s.publish(
      topics.problemsVerified,
      ...ids.map((problemId) => create(ProblemVerifiedSchema, { problemId, version: 1, suiteHash: SUITE })),
    );
    await s.untilQuiet();
    await s.publish(topics.commandsRequested, measureCommand('m1', 10));
    await s.untilQuiet();
    const requested = await values(s.published(topics.rolloutsRequested));
    expect(requested.map(({ problemId, attempts }) => [problemId, attempts]).sort()).toEqual([
      [ids[0], 2],
      [ids[0], 8],
      [ids[1], 2],
      [ids[1], 8],
    ]);
    expect(await values(s.published(topics.commandsCompleted))).toMatchObject([
      { commandId: 'm1', outcome: CommandOutcome.DONE, results: { problems: '2', requests: '4' } },
    ]);
  });

  it('refuses commands that it cannot carry out, with the reason', async () => {
    const s = await start({ ...commandsOnly, commandPatienceSeconds: '1' });
    await s.publish(topics.targetsDeclared, declared());
    await s.untilQuiet();
    await s.publish(topics.commandsRequested, measureCommand('m1', 8), evaluateCommand('e1', 'nobody'));
    await s.untilQuiet();
    const completed = await values(s.published(topics.commandsCompleted));
    expect(completed.map(({ commandId, outcome }) => [commandId, outcome]).sort()).toEqual([
      ['e1', CommandOutcome.REFUSED],
      ['m1', CommandOutcome.REFUSED],
    ]);
    expect(completed.map(({ message }) => message).join()).toContain('endpoint');
  });

  it('comes to the same estimates, and answers each command, when it crashes before and after commits', async () => {
    const s = await start();
    await s.publish(topics.targetsDeclared, declared());
    for (const [i, moment] of (['before-commit', 'after-commit'] as const).entries()) {
      const crashed = s.crashAt(moment, 3);
      await s.publish(topics.rolloutsGraded, graded(`g${i}`, 'pppppppp'), graded(`h${i}`, 'ffffffff'));
      await s.publish(topics.commandsRequested, evaluateCommand(`c${i}`));
      await crashed;
      await s.restart();
      await s.untilQuiet();
    }
    await evaluate(s, 'last');
    expect(await latest(s)).toMatchObject({ alpha: 17, beta: 17, attempts: 32, passes: 16, bin: Bin.MEDIUM });
    const numbers = [...new Set((await evaluations(s)).map(({ number }) => number))];
    expect(numbers).toEqual(numbers.map((_, i) => BigInt(i + 1)));
    const done = (await values(s.published(topics.commandsCompleted))).map(({ commandId }) => commandId);
    expect([...new Set(done)].sort()).toEqual(['c0', 'c1', 'last']);
  });

  it('counts the old suite until a regrade completes, then the new one from one evaluation on', async () => {
    const s = await start();
    const newSuite = 'b'.repeat(64);
    const verified = (suiteHash: string) =>
      create(ProblemVerifiedSchema, { problemId: PROBLEM, version: 1, suiteHash });
    await s.publish(topics.targetsDeclared, declared());
    await s.publish(topics.problemsVerified, verified(SUITE));
    await s.publish(topics.rolloutsGraded, graded('g1', 'pppp'));
    await s.untilQuiet();
    await s.publish(
      topics.suitesChanged,
      create(SuiteChangedSchema, { problemId: PROBLEM, version: 1, oldSuiteHash: SUITE, newSuiteHash: newSuite }),
    );
    await s.publish(topics.rolloutsGraded, graded('g1', 'pfff', {}, { suiteHash: newSuite }));
    await s.untilQuiet();
    await evaluate(s, 'c1');
    expect(await latest(s)).toMatchObject({ suiteHash: SUITE, attempts: 4, passes: 4 });

    // The completion may arrive before the request: two topics.
    const completed = { commandId: 'r1', service: 'execute', outcome: CommandOutcome.DONE };
    await s.publish(topics.commandsCompleted, create(CommandCompletedSchema, completed));
    await s.untilQuiet();
    expect(await latest(s)).toMatchObject({ passes: 4 });
    const regrade = { case: 'regrade', value: { problemId: PROBLEM } } as const;
    await s.publish(
      topics.commandsRequested,
      create(CommandRequestedSchema, { commandId: 'r1', service: 'execute', command: regrade }),
    );
    await s.untilQuiet();
    expect(await latest(s)).toMatchObject({ suiteHash: newSuite, attempts: 4, passes: 1 });
  });

  it('evaluates the other targets while one cannot be evaluated, and says which', async () => {
    const s = await start({ evaluateAfterGroups: '1', evaluateAfterSeconds: '0' });
    await s.publish(topics.targetsDeclared, declared(), declared({ target: 'line-b' }));
    await s.untilQuiet();
    await s.query(`UPDATE calibration SET prior_alpha = 'NaN' WHERE target = 'line-a'`);
    await s.publish(topics.rolloutsGraded, graded('g1', 'pf'), graded('g2', 'pf', { target: 'line-b' }));
    const evaluated = async () => (await evaluations(s)).map(({ target }) => target);
    await expect.poll(evaluated, { timeout: 15_000 }).toContain('line-b');
    await expect
      .poll(() => s.service.readiness().reasons.join(), { timeout: 15_000 })
      .toContain('target line-a cannot be evaluated');
    expect(await evaluated()).not.toContain('line-a');
    await s.query(`UPDATE calibration SET prior_alpha = 1 WHERE target = 'line-a'`);
    await expect.poll(evaluated, { timeout: 15_000 }).toContain('line-a');
    await expect.poll(() => s.service.readiness().ready, { timeout: 15_000 }).toBe(true);
  });

  it('is ready again when what could not be evaluated is no longer due here', async () => {
    const s = await start({ evaluateAfterGroups: '1', evaluateAfterSeconds: '0' });
    await s.publish(topics.targetsDeclared, declared());
    await s.untilQuiet();
    await s.query(`UPDATE calibration SET prior_alpha = 'NaN'`);
    await s.publish(topics.rolloutsGraded, graded('g1', 'pf'));
    const reasons = () => s.service.readiness().reasons.join();
    await expect.poll(reasons, { timeout: 30_000 }).toContain('target line-a cannot be evaluated');
    // As if a replica that can do it had taken the lease and evaluated.
    await s.query('DELETE FROM unevaluated');
    await expect.poll(() => s.service.readiness().ready, { timeout: 30_000 }).toBe(true);
  });

  it('holds no other transaction open while it evaluates', async () => {
    const s = await start();
    await s.publish(topics.targetsDeclared, declared());
    await s.publish(topics.rolloutsGraded, graded('g1', 'pf'));
    await s.untilQuiet();
    const locked = s.query('BEGIN; LOCK TABLE estimate; SELECT pg_sleep(3); COMMIT');
    await s.publish(topics.commandsRequested, evaluateCommand('c1'));
    const sessions = (condition: string) =>
      s.query(`SELECT 1 FROM pg_stat_activity
               WHERE datname = current_database() AND application_name LIKE 'tidemark-calibrate%' AND ${condition}`);
    await expect.poll(() => sessions(`wait_event_type = 'Lock'`), { timeout: 2_500 }).toHaveLength(1);
    expect(await sessions(`state = 'idle in transaction' AND xact_start < now() - interval '200 ms'`)).toEqual([]);
    await locked;
    await s.untilQuiet();
    expect(await evaluations(s)).toHaveLength(1);
  });

  it('evaluates nothing for a replica whose lease another has taken', async () => {
    const s = await start();
    await s.publish(topics.targetsDeclared, declared());
    await s.publish(topics.rolloutsGraded, graded('g1', 'pp'));
    await s.untilQuiet();
    await evaluate(s, 'c1');
    // One, or two where the groups were counted before the declaration published its calibration.
    const before = await evaluations(s);
    const evaluator = s.service.get(Evaluator);
    await expect(evaluator.evaluate('line-a', { name: 'target:line-a', epoch: 0n })).rejects.toThrow(LeaseLostError);
    expect(await evaluations(s)).toEqual(before);
  });

  it('evaluates a target on one replica, though any replica counts', async () => {
    const s = await start({ evaluateAfterGroups: '1', evaluateAfterSeconds: '1' });
    await s.startReplica();
    await s.publish(topics.targetsDeclared, declared());
    await s.untilQuiet();
    for (let i = 0; i < 5; i++) {
      await s.publish(
        topics.rolloutsGraded,
        graded(`g${i}`, 'pf'),
        graded(`h${i}`, 'pf', { problemId: 'e'.repeat(32) }),
      );
      await s.untilQuiet();
    }
    await expect.poll(async () => (await evaluations(s)).at(-1)?.cut?.groups, { timeout: 10_000 }).toBe(10n);
    const numbers = (await evaluations(s)).map(({ number }) => Number(number));
    expect(numbers).toEqual(numbers.map((_, i) => i + 1));
    expect(await s.query("SELECT count(*)::int AS n FROM leases WHERE name = 'target:line-a'")).toEqual([{ n: 1 }]);
  });
});

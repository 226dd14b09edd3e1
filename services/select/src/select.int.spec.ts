import { createHash } from 'node:crypto';
import { create, toBinary } from '@bufbuild/protobuf';
import { curatedTopic, topics } from '@tidemark/event-log';
import {
  Bin,
  type CuratedProblem,
  CheckpointAdvancedSchema,
  DifficultyEstimatedSchema,
  NextBatchRequestSchema,
  PayloadSchema,
  ProblemUniqueSchema,
  type ProblemVerified,
  ProblemVerifiedSchema,
  ProblemWithdrawnSchema,
  ReplayBatchRequestSchema,
  RolloutsGradedSchema,
  Split,
  Stage,
  TargetDeclaredSchema,
  TestSuiteSchema,
} from '@tidemark/proto';
import { StageDatabase } from '@tidemark/stage-runtime';
import { startStage, type StageHarness } from '@tidemark/stage-runtime/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { selectService } from './index.ts';
import { replayBatch } from './next-batch/kept-batches.ts';
import { NextBatch } from './next-batch/next-batch.ts';

const suite = toBinary(
  TestSuiteSchema,
  create(TestSuiteSchema, {
    tests: [{ name: '1', public: true, body: { case: 'asserts', value: { code: 'assert f()' } } }],
  }),
);
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
const inline = (bytes: Uint8Array) =>
  create(PayloadSchema, { sha256: sha256(bytes), sizeBytes: BigInt(bytes.length), inline: bytes });

const verified = (problemId: string, changes: Partial<ProblemVerified> = {}): ProblemVerified => {
  const message = create(ProblemVerifiedSchema, {
    problemId,
    version: 1,
    suiteHash: `suite-${problemId}`,
    suite: inline(suite),
    split: Split.TRAIN,
    content: { title: problemId, statement: inline(Buffer.from(`Do ${problemId}.`)) },
  });
  return Object.assign(message, changes);
};

const estimated = (problemId: string, alpha: number, beta: number, bin: Bin) =>
  create(DifficultyEstimatedSchema, {
    target: 'm',
    problemId,
    version: 1,
    targetVersion: 1,
    suiteHash: `suite-${problemId}`,
    alpha,
    beta,
    mean: alpha / (alpha + beta),
    attempts: alpha + beta - 2,
    passes: alpha - 1,
    bin,
    evaluation: 1n,
  });

let stage: StageHarness;

/** The curated topic as a reader who followed it to the end holds it. */
async function curated(): Promise<Map<string, CuratedProblem>> {
  const held = new Map<string, CuratedProblem>();
  for (const { key, value } of await stage.published(curatedTopic('m'))) {
    if (value === undefined) held.delete(key);
    else held.set(key, value);
  }
  return held;
}

beforeEach(async () => {
  stage = await startStage(selectService, { config: { grpcPort: '0' } });
  await stage.publish(topics.targetsDeclared, create(TargetDeclaredSchema, { target: 'm', version: 1, groupSize: 8 }));
  await stage.untilQuiet();
});
afterEach(async () => {
  await stage.stop();
});

describe('the working set of a target', () => {
  it('holds a ready problem before any measurement, marked as predicted, with its public tests', async () => {
    await stage.publish(topics.problemsVerified, verified('p'));
    await stage.untilQuiet();
    const record = (await curated()).get('p');
    expect(record).toMatchObject({ bin: Bin.MEDIUM, predicted: true, title: 'p', change: 'entered', revision: 1n });
    expect(record?.publicTests?.inline).toBeDefined();
  });

  it('moves a problem between bins with one record, and lets a mastered one go', async () => {
    await stage.publish(topics.problemsVerified, verified('p'));
    await stage.untilQuiet();
    await stage.publish(topics.difficultyEstimated, estimated('p', 9, 3, Bin.EASY));
    await stage.untilQuiet();
    expect((await curated()).get('p')).toMatchObject({ bin: Bin.EASY, predicted: false, passes: 8, change: 'moved' });
    expect(await stage.published(curatedTopic('m'))).toHaveLength(2);
    await stage.publish(topics.difficultyEstimated, estimated('p', 60, 1, Bin.MASTERED));
    await stage.untilQuiet();
    expect((await curated()).size).toBe(0);
  });

  it('draws what was not measured since the newest checkpoint for a retest, and lets it go once it was', async () => {
    await stage.publish(
      topics.targetsDeclared,
      create(TargetDeclaredSchema, {
        target: 'm',
        version: 1,
        groupSize: 8,
        selection: { retestRate: 1e-9, retestRateNewCheckpoint: 1 },
      }),
    );
    const advance = (checkpoint: string, ordinal: number) =>
      stage.publish(
        topics.checkpointsAdvanced,
        create(CheckpointAdvancedSchema, { target: 'm', checkpoint, ordinal, targetVersion: 1 }),
      );
    // As calibrate does: the estimate is made anew at each checkpoint, from evidence of the one that it names.
    const measured = (checkpoint: string, evidenceCheckpoint: string) =>
      stage.publish(topics.difficultyEstimated, {
        ...estimated('p', 60, 1, Bin.MASTERED),
        checkpoint,
        evidenceCheckpoint,
      });
    await stage.publish(topics.problemsVerified, verified('p'));
    await advance('step-0', 0);
    await measured('step-0', 'step-0');
    await stage.untilQuiet();
    expect((await curated()).size).toBe(0);
    await advance('step-50', 50);
    await measured('step-50', 'step-0');
    await stage.untilQuiet();
    expect((await curated()).get('p')).toMatchObject({ bin: Bin.MASTERED, retest: true });
    await measured('step-50', 'step-50');
    await stage.untilQuiet();
    expect((await curated()).size).toBe(0);
  });

  it('never holds a held-out problem, and lets one go that moves to the exam', async () => {
    await stage.publish(topics.problemsVerified, verified('exam', { split: Split.HELD_OUT }), verified('train'));
    await stage.untilQuiet();
    expect([...(await curated()).keys()]).toEqual(['train']);
    await stage.publish(
      topics.problemsUnique,
      create(ProblemUniqueSchema, { problemId: 'train', version: 1, split: Split.HELD_OUT }),
    );
    await stage.untilQuiet();
    expect((await curated()).size).toBe(0);
  });

  it('lets a withdrawn problem go, also when the withdrawal came first, and takes it back', async () => {
    const withdrawal = (takenBack: boolean) =>
      create(ProblemWithdrawnSchema, {
        problemId: 'p',
        version: 1,
        stage: Stage.INGEST,
        reason: 'producer',
        takenBack,
      });
    await stage.publish(topics.problemsWithdrawn, withdrawal(false));
    await stage.untilQuiet();
    await stage.publish(topics.problemsVerified, verified('p'));
    await stage.untilQuiet();
    expect((await curated()).size).toBe(0);
    await stage.publish(topics.problemsWithdrawn, withdrawal(true));
    await stage.untilQuiet();
    expect([...(await curated()).keys()]).toEqual(['p']);
  });

  it('says nothing twice: after a restart an unchanged set publishes nothing', async () => {
    await stage.publish(topics.problemsVerified, verified('p'));
    await stage.untilQuiet();
    await stage.kill();
    await stage.restart();
    await stage.publish(
      topics.targetsDeclared,
      create(TargetDeclaredSchema, { target: 'm', version: 1, groupSize: 8 }),
    );
    await stage.untilQuiet();
    expect(await stage.published(curatedTopic('m'))).toHaveLength(1);
  });
});

describe('a problem that is judged by another suite from now on', () => {
  it('keeps its measured bin until calibrate says otherwise', async () => {
    await stage.publish(topics.problemsVerified, verified('p'));
    await stage.publish(topics.difficultyEstimated, estimated('p', 20, 4, Bin.EASY));
    await stage.untilQuiet();
    await stage.publish(topics.problemsVerified, verified('p', { suiteHash: 'another' }));
    await stage.untilQuiet();
    expect((await curated()).get('p')).toMatchObject({ bin: Bin.EASY, predicted: false, suiteHash: 'another' });
  });
});

describe('a batch', () => {
  const take = async (count: number) => {
    const outcome = await stage.service
      .get(NextBatch)
      .take(create(NextBatchRequestSchema, { target: 'm', count, holder: 'trainer' }));
    if (outcome.kind !== 'done') throw new Error(outcome.kind);
    return outcome.response;
  };
  const ids = (response: Awaited<ReturnType<typeof take>>) =>
    response.problems.map(({ problem }) => problem?.problemId);

  beforeEach(async () => {
    await stage.publish(topics.problemsVerified, verified('even'), verified('easy'), verified('hard'));
    await stage.publish(
      topics.difficultyEstimated,
      estimated('even', 9, 9, Bin.MEDIUM),
      estimated('easy', 16, 4, Bin.EASY),
      estimated('hard', 2, 40, Bin.HARD),
    );
    await stage.untilQuiet();
  });

  it('is the best free problems in rank order, never one that another batch holds', async () => {
    expect(ids(await take(1))).toEqual(['even']);
    const rest = await take(5);
    expect(ids(rest)).not.toContain('even');
    expect(rest.problems).toHaveLength(2);
    expect(rest).toMatchObject({ batch: 2n, workingSet: 3 });
    expect(ids(await take(5))).toEqual([]);
  });

  it('is given out again as it was, however its problems moved since, and what was withdrawn by id alone', async () => {
    const ask = (request: object) =>
      stage.service
        .get(NextBatch)
        .take(create(NextBatchRequestSchema, { target: 'm', count: 3, seed: 7n, ...request }));
    const given = await ask({});
    if (given.kind !== 'done') throw new Error(given.kind);
    const replay = (batch: bigint, seed: bigint) =>
      replayBatch(stage.service.get(StageDatabase), create(ReplayBatchRequestSchema, { target: 'm', batch, seed }));
    await stage.publish(topics.difficultyEstimated, estimated('even', 20, 4, Bin.EASY));
    await stage.untilQuiet();
    expect(await replay(1n, 7n)).toMatchObject({
      kind: 'done',
      response: { problems: given.response.problems, withdrawn: [], expiresAtMs: given.response.expiresAtMs },
    });
    await stage.publish(
      topics.problemsWithdrawn,
      create(ProblemWithdrawnSchema, { problemId: 'easy', stage: Stage.INGEST, version: 1, reason: 'spec' }),
    );
    await stage.untilQuiet();
    const kept = given.response.problems.filter(({ problem }) => problem?.problemId !== 'easy');
    expect(await replay(1n, 7n)).toMatchObject({ response: { problems: kept, withdrawn: ['easy'] } });
    expect((await replay(1n, 8n)).kind).toBe('bad request');
    expect((await replay(2n, 7n)).kind).toBe('unknown batch');
  });

  it('is free again when given back; once its group was graded it comes after the rest, until its value is drawn anew', async () => {
    const [first] = (await take(1)).problems;
    expect(await stage.service.get(NextBatch).giveBack('m', [first?.leaseId ?? ''])).toMatchObject({
      kind: 'done',
      response: { returned: 1 },
    });
    const [again] = (await take(1)).problems;
    expect(again?.problem?.problemId).toBe('even');
    await stage.publish(
      topics.rolloutsGraded,
      create(RolloutsGradedSchema, {
        group: { groupId: 'g', target: 'm', problemId: 'even', leaseId: again?.leaseId ?? '' },
      }),
    );
    await stage.untilQuiet();
    const next = ids(await take(3));
    expect(next).toHaveLength(3);
    expect(next.at(-1)).toBe('even');
  });

  it('never holds a problem that was withdrawn or moved to the exam since the set was chosen', async () => {
    await stage.query("INSERT INTO withdrawals (problem_id, stage, version, taken_back) VALUES ('even', 5, 1, false)");
    await stage.query(
      "INSERT INTO splits (problem_id, held_out) VALUES ('easy', true) ON CONFLICT (problem_id) DO UPDATE SET held_out = true",
    );
    expect(ids(await take(3))).toEqual(['hard']);
  });

  it('voids the lease of a problem that moved to the exam', async () => {
    const [leased] = (await take(1)).problems;
    await stage.publish(
      topics.problemsUnique,
      create(ProblemUniqueSchema, { problemId: 'even', version: 1, split: Split.HELD_OUT }),
    );
    await stage.untilQuiet();
    const rows = await stage.query('SELECT state FROM problem_leases WHERE lease_id = $1', [leased?.leaseId]);
    expect(rows).toEqual([{ state: 'void' }]);
  });

  it('voids the lease of a withdrawn problem: the report under it does not close it', async () => {
    const [leased] = (await take(1)).problems;
    await stage.publish(
      topics.problemsWithdrawn,
      create(ProblemWithdrawnSchema, { problemId: 'even', version: 1, stage: Stage.EXECUTE, reason: 'broken' }),
    );
    await stage.untilQuiet();
    const rows = await stage.query('SELECT state FROM problem_leases WHERE lease_id = $1', [leased?.leaseId]);
    expect(rows).toEqual([{ state: 'void' }]);
  });

  it('says no to an undeclared target and to a count outside its range', async () => {
    const batches = stage.service.get(NextBatch);
    const ask = (target: string, count: number) => batches.take(create(NextBatchRequestSchema, { target, count }));
    expect(await ask('nobody', 1)).toMatchObject({ kind: 'unknown target' });
    expect(await ask('m', 0)).toMatchObject({ kind: 'bad request' });
    expect(await ask('m', 10_001)).toMatchObject({ kind: 'bad request' });
  });
});

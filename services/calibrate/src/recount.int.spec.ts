import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { create, type DescMessage, fromBinary, type JsonObject, toJson } from '@bufbuild/protobuf';
import { type EventLog, openKafkaEventLog, type TopicDefinition, topics } from '@tidemark/event-log';
import {
  CheckpointAdvancedSchema,
  CommandRequestedSchema,
  ProblemScoredSchema,
  ProblemUniqueSchema,
  type RolloutsGraded,
  Split,
} from '@tidemark/proto';
import { type StageHarness, startStage } from '@tidemark/stage-runtime/testing';
import { describeWithKafka } from '@tidemark/testing-servers';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { calibrateService } from './index.ts';
import { declared, graded, SUITE } from './testing/events.ts';

const script = resolve(import.meta.dirname, '../../../tools/proofs/recount.py');
/** Names of this run alone: on a broker that several files share, others write to the same topics. */
const run = randomBytes(4).toString('hex');

interface DumpedRecord {
  readonly topic: string;
  readonly partition: number;
  readonly offset: string;
  readonly key: string;
  readonly value: JsonObject | null;
}

async function dump<D extends DescMessage>(log: EventLog, topic: TopicDefinition<D>): Promise<DumpedRecord[]> {
  const records: DumpedRecord[] = [];
  const bounds = (await log.admin.describe(topic.name))?.partitions ?? [];
  for (const [partition, { logStart, logEnd }] of bounds.entries()) {
    const range = { topic: topic.name, partition, from: logStart, until: logEnd, signal: new AbortController().signal };
    for await (const { key, value, offset } of log.read(range))
      records.push({
        topic: topic.name,
        partition,
        offset: offset.toString(),
        key: Buffer.from(key ?? []).toString(),
        value: value && (toJson(topic.schema, fromBinary(topic.schema, value)) as JsonObject),
      });
  }
  return records;
}

function recount(folder: string, target: string, records: readonly DumpedRecord[]) {
  const file = join(folder, 'dump.ndjson');
  writeFileSync(file, records.map((record) => JSON.stringify(record)).join('\n'));
  const { status, stdout, stderr, error } = spawnSync('python3', [script, file, '--target', target], {
    encoding: 'utf8',
  });
  if (error) throw error;
  return { status, said: stdout + stderr };
}

const problem = (n: number) => `${run}${n.toString(16).padStart(24, '0')}`;
const PROBLEMS = 40;

/** Groups of problems of very different difficulty, by checkpoint; sampled with a fixed seed. */
function groupsOf(target: string, checkpoint: string, from: number, seed: number): RolloutsGraded[] {
  const attempt = (n: number) =>
    fc.integer({ min: 0, max: 99 }).map((x) => (x < 3 ? 'e' : x < 6 ? 't' : x < 6 + (94 * n) / PROBLEMS ? 'p' : 'f'));
  const group = fc.integer({ min: 0, max: PROBLEMS - 1 }).chain((n) =>
    fc.record({
      problemId: fc.constant(problem(n)),
      verdicts: fc.array(attempt(n), { minLength: 1, maxLength: 8 }).map((kinds) => kinds.join('')),
      version: fc.constantFrom(1, 1, 1, 1, 2),
      purpose: fc.constantFrom(1, 1, 2, 3, 4),
      graders: fc.constantFrom(['judge'], ['judge'], ['judge', 'trainer'], ['trainer'], ['judge', 'another judge']),
    }),
  );
  const by: Record<string, Parameters<typeof graded>[3]> = {
    judge: {},
    // Trusted, without a word about the suite.
    trainer: { suiteHash: '' },
    // The same id of another submitter.
    'another judge': { submitter: { name: 'another' } },
  };
  return fc.sample(group, { numRuns: 160, seed }).flatMap(({ verdicts, graders, ...rest }, i) =>
    // Where the trainer graded too, the two of them disagree.
    graders.map((grader) => {
      const kinds = grader === 'trainer' ? verdicts.replaceAll('f', 'p') : verdicts;
      return graded(`g${from + i}`, kinds, { ...rest, target, checkpoint }, by[grader]);
    }),
  );
}

async function evaluate(stage: StageHarness, target: string, commandId: string): Promise<void> {
  await stage.publish(
    topics.commandsRequested,
    create(CommandRequestedSchema, {
      commandId,
      service: 'calibrate',
      command: { case: 'evaluate', value: { target } },
    }),
  );
  await stage.untilQuiet();
}

function describeRecount(name: string, openLog: () => EventLog | undefined): void {
  const target = `${name}-${run}`;
  let log: EventLog | undefined;
  let stage: StageHarness;
  let folder: string;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'recount-'));
    log = openLog();
    stage = await startStage(calibrateService, {
      config: { evaluateAfterGroups: '50', evaluateAfterSeconds: '0' },
      environment: target,
      ...(log && { log }),
    });
  });
  afterAll(async () => {
    await stage?.stop();
    await log?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('comes to every posterior and bin of every evaluation point, and finds a forged one', async () => {
    const advance = (checkpoint: string, ordinal: number) =>
      stage.publish(
        topics.checkpointsAdvanced,
        create(CheckpointAdvancedSchema, { target, checkpoint, ordinal, targetVersion: 1 }),
      );
    await stage.publish(topics.targetsDeclared, declared({ target }));
    await stage.publish(
      topics.problemsScored,
      ...Array.from({ length: PROBLEMS }, (_, n) =>
        create(ProblemScoredSchema, { problemId: problem(n), version: 1, suiteHash: SUITE, score: 2.5 }),
      ),
    );
    // The last is held out, which a trusted grader would not know.
    await stage.publish(
      topics.problemsUnique,
      ...Array.from({ length: PROBLEMS }, (_, n) =>
        create(ProblemUniqueSchema, {
          problemId: problem(n),
          version: 1,
          split: n === PROBLEMS - 1 ? Split.HELD_OUT : Split.TRAIN,
        }),
      ),
    );
    await advance('step-0', 0);
    await stage.untilQuiet();
    // Verification puts version 1 in force; attempts at version 2, which is on its way, must not count.
    await stage.query(
      `INSERT INTO problem_version (problem_id, version, verified, suite_hash)
       SELECT DISTINCT problem_id, 1, true, $1 FROM problem_version ON CONFLICT (problem_id, version)
       DO UPDATE SET verified = true, suite_hash = excluded.suite_hash`,
      [SUITE],
    );
    for (const [i, checkpoint] of ['step-0', 'step-0', 'step-50', 'step-100'].entries()) {
      if (i >= 2) await advance(checkpoint, i * 25);
      const groups = groupsOf(target, checkpoint, i * 1000, i + 1);
      // In pieces, so that evaluations by count cut the evidence anywhere, over both partitions.
      for (let at = 0; at < groups.length; at += 16)
        await stage.publish(topics.rolloutsGraded, ...groups.slice(at, at + 16), ...groups.slice(at, at + 2));
      await stage.untilQuiet();
      const waiting = () => stage.query('SELECT coalesce(sum(evidence_groups), 0) >= 50 AS due FROM unevaluated');
      await expect.poll(waiting, { timeout: 10_000 }).toEqual([{ due: false }]);
      await evaluate(stage, target, `${target}-c${i}`);
    }

    const records = [
      ...(await dump(stage.log, topics.rolloutsGraded)),
      ...(await dump(stage.log, topics.problemsScored)),
      ...(await dump(stage.log, topics.problemsUnique)),
      ...(await dump(stage.log, topics.calibrationsPublished)),
      ...(await dump(stage.log, topics.evaluationsRecorded)),
      ...(await dump(stage.log, topics.checkpointsAdvanced)),
      ...(await dump(stage.log, topics.difficultyEstimated)),
    ];
    const honest = recount(folder, target, records);
    expect(honest.said).toContain(' 0 differences');
    expect(honest.said).toMatch(/ 7\d\d groups counted/);
    expect(honest.status).toBe(0);
    expect(
      records.filter(({ value }) => value?.['trigger'] === 'EVALUATION_TRIGGER_GROUPS').length,
    ).toBeGreaterThanOrEqual(2);

    const estimates = records.filter(
      ({ topic, value }) => topic === topics.difficultyEstimated.name && value?.['target'] === target,
    );
    expect(new Set(estimates.map(({ value }) => value?.['bin'])).size).toBe(5);
    const forge = (change: JsonObject) => {
      const victim = estimates.at(-1);
      return recount(
        folder,
        target,
        records.map((r) => (r === victim ? { ...r, value: { ...r.value, ...change } } : r)),
      );
    };
    expect(forge({ alpha: 3.25 })).toMatchObject({ status: 1 });
    expect(forge({ bin: estimates.at(-1)?.value?.['bin'] === 'BIN_EASY' ? 'BIN_HARD' : 'BIN_EASY' })).toMatchObject({
      status: 1,
    });
    // A group that was counted once and is gone; a calibration that is gone.
    const isG100 = ({ value }: DumpedRecord) => (value?.['group'] as JsonObject | undefined)?.['groupId'] === 'g101';
    expect(
      recount(
        folder,
        target,
        records.filter((record) => !isG100(record)),
      ).status,
    ).toBe(1);
    expect(
      recount(
        folder,
        target,
        records.filter(({ topic }) => topic !== topics.calibrationsPublished.name),
      ).status,
    ).toBe(2);
  });
}

describe('the recount by another implementation, on the embedded log', () => {
  describeRecount('embedded', () => undefined);
});

describeWithKafka('the recount by another implementation, on Kafka', (kafka) => {
  describeRecount('kafka', () => openKafkaEventLog({ brokers: kafka.brokers, replicationFactor: 1 }));
});

import { create } from '@bufbuild/protobuf';
import { topics } from '@tidemark/event-log';
import { problemIdOf } from '@tidemark/identity';
import {
  ProblemScoredSchema,
  ProblemStatusSchema,
  ProblemUniqueSchema,
  ProblemVerifiedSchema,
  ProblemWithdrawnSchema,
  Split,
  Stage,
  StageOutcome,
} from '@tidemark/proto';
import { startStage, type StageHarness } from '@tidemark/stage-runtime/testing';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { gatewayService } from './index.ts';
import { decideVisibleState } from './read-model/decide-visible-state.ts';
import { loadFacts } from './read-model/load-facts.ts';

const PROBLEMS = 30;
const EVENTS = 6_000;
const BURST = 300;
let harness: StageHarness;

beforeAll(async () => {
  harness = await startStage(gatewayService, { partitions: 4 });
  await harness.startReplica();
});
afterAll(async () => {
  await harness?.stop();
});

/** Facts about few problems, from five topics at once: handlers and replicas meet on the same rows all the time. */
it('keeps the state that all facts together decide, whoever brought the last one', async () => {
  const random = fc.sample(fc.tuple(fc.nat(4), fc.nat(PROBLEMS - 1), fc.integer({ min: 1, max: 3 }), fc.nat(11)), {
    numRuns: EVENTS,
    seed: 20_261_130,
  });
  // In bursts, every topic at once: the handlers of all of them, in both replicas, then want the same rows.
  for (let at = 0; at < random.length; at += BURST) {
    const burst = random.slice(at, at + BURST);
    const about = (topic: number) => burst.filter(([chosen]) => chosen === topic).map(([, ...rest]) => factOf(...rest));
    await Promise.all([
      harness.publish(topics.problemsUnique, ...about(0).map((fact) => create(ProblemUniqueSchema, fact))),
      harness.publish(topics.problemsVerified, ...about(1).map((fact) => create(ProblemVerifiedSchema, fact))),
      harness.publish(
        topics.problemsScored,
        ...about(2).map((fact) => create(ProblemScoredSchema, withoutSplit(fact))),
      ),
      harness.publish(
        topics.problemsWithdrawn,
        ...about(3).map((fact) => create(ProblemWithdrawnSchema, withdrawalOf(fact))),
      ),
      harness.publish(topics.problemsStatus, ...about(4).map((fact) => create(ProblemStatusSchema, statusOf(fact)))),
    ]);
  }
  await harness.untilQuiet(60_000);

  const rows = await harness.query<{
    problem_id: string;
    state: string;
    version: number;
    reason: string;
    held_out: boolean;
  }>('SELECT problem_id, state, version, reason, held_out FROM problem ORDER BY problem_id');
  expect(rows).toHaveLength(PROBLEMS);
  const facts = await loadFacts(
    harness,
    rows.map(({ problem_id }) => problem_id),
  );
  for (const row of rows) {
    const decided = decideVisibleState(facts.get(row.problem_id) ?? { statuses: [], withdrawals: [] });
    expect([row.problem_id, row.state, row.version]).toEqual([row.problem_id, decided.kind, decided.version]);
    if (decided.kind === 'ready') expect(row.held_out).toBe(decided.heldOut);
    else expect(row.reason).toBe(decided.reason);
  }
  expect(new Set(rows.map(({ state }) => state)).size).toBeGreaterThan(1);
});

interface Fact {
  readonly problemId: string;
  readonly version: number;
  readonly split: Split;
  readonly more: number;
}

const factOf = (problem: number, version: number, more: number): Fact => ({
  problemId: problemIdOf('law', String(problem)),
  version,
  split: more % 2 === 0 ? Split.TRAIN : Split.HELD_OUT,
  more,
});

const withoutSplit = ({ problemId, version }: Fact) => ({ problemId, version });

const withdrawalOf = ({ problemId, version, more }: Fact) => ({
  problemId,
  version,
  stage: stageOf(more),
  reason: 'r',
  takenBack: more % 3 !== 0,
});

const statusOf = ({ problemId, version, more }: Fact) => ({
  problemId,
  version,
  stage: stageOf(more),
  outcome: more % 5 === 0 ? StageOutcome.REJECTED : StageOutcome.PASSED,
  reason: 'r',
});

const stageOf = (more: number): Stage =>
  [Stage.INGEST, Stage.NORMALIZE, Stage.DEDUP, Stage.EXECUTE, Stage.SCORE, Stage.SELECT][more % 6] ?? Stage.INGEST;

import { create, type MessageInitShape, toBinary } from '@bufbuild/protobuf';
import { curatedTopic, deadLetterTopic, type TopicDefinition, topics, type ServiceName } from '@tidemark/event-log';
import { problemIdOf, sha256Hex } from '@tidemark/identity';
import {
  Bin,
  CuratedProblemSchema,
  DeadLetterSchema,
  DifficultyEstimatedSchema,
  EvaluationRecordedSchema,
  PanelMemberSchema,
  ProblemRawSchema,
  ProblemScoredSchema,
  ProblemStatusSchema,
  ProblemUniqueSchema,
  ProblemVerifiedSchema,
  ProblemWithdrawnSchema,
  Purpose,
  RolloutsGradedSchema,
  Split,
  Stage,
  StageOutcome,
  Verdict,
} from '@tidemark/proto';
import { startStage, type StageHarness, type StageHarnessOptions } from '@tidemark/stage-runtime/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { gatewayService } from '../index.ts';
import { TestClient } from './client.ts';

/** What the read model keeps, on whichever log the events come by. */
export function describeReadModel(log: string, options: () => StageHarnessOptions): void {
  describe(`the read model on ${log}`, () => {
    let harness: StageHarness;
    let client: TestClient;
    const curated = curatedTopic('model');

    beforeAll(async () => {
      harness = await startStage(gatewayService, { http: true, ...options() });
      client = new TestClient(harness);
      await harness.log.admin.ensureTopics([
        { name: curated.name, partitions: 2, cleanup: 'compact', retentionMs: 86_400_000, logAppendTime: false },
      ]);
      await client.json('PUT', '/v1/targets/model', { display_name: 'Model' });
    });
    afterAll(async () => {
      await harness?.stop();
    });

    const idOf = (name: string) => problemIdOf('acme', name);
    const passedWay = [Stage.INGEST, Stage.NORMALIZE, Stage.DEDUP, Stage.EXECUTE, Stage.SCORE];

    type StatusInit = Exclude<MessageInitShape<typeof ProblemStatusSchema>, { $typeName: unknown }>;

    function status(name: string, stage: Stage, init: StatusInit = {}) {
      return create(ProblemStatusSchema, {
        problemId: idOf(name),
        version: 1,
        stage,
        outcome: StageOutcome.PASSED,
        title: `Title of ${name}`,
        ...(stage === Stage.INGEST && {
          origin: { namespace: 'acme', recordId: name, licence: 'MIT' },
          submitter: { name: 'local', sourceFile: 'set.jsonl', sourceRecord: 7n },
        }),
        ...init,
      });
    }

    /** Brings a problem to ready. */
    async function makeReady(name: string, split = Split.TRAIN) {
      await harness.publish(topics.problemsStatus, ...passedWay.map((stage) => status(name, stage)));
      await harness.publish(
        topics.problemsUnique,
        create(ProblemUniqueSchema, { problemId: idOf(name), version: 1, split }),
      );
      await harness.publish(
        topics.problemsVerified,
        create(ProblemVerifiedSchema, { problemId: idOf(name), version: 1, split }),
      );
    }

    async function stateOf(name: string): Promise<Record<string, unknown>> {
      await harness.untilQuiet();
      return (await client.json('GET', `/v1/problems/${idOf(name)}`)).body;
    }

    describe('the visible state', () => {
      it('follows the stages from waiting to ready', async () => {
        await harness.publish(topics.problemsStatus, status('grows', Stage.INGEST));
        expect(await stateOf('grows')).toMatchObject({
          state: 'waiting',
          reason: 'stage:normalize',
          title: 'Title of grows',
          namespace: 'acme',
          record_id: 'grows',
          source_file: 'set.jsonl',
          source_record: 7,
        });
        await makeReady('grows');
        const story = await stateOf('grows');
        expect(story).toMatchObject({ state: 'ready', held_out: false, cluster: { split: 'train' } });
        expect(story.stages).toHaveLength(5);
      });

      it('shows a rejection with its evidence, and counts it by reason', async () => {
        await harness.publish(
          topics.problemsStatus,
          status('bad', Stage.INGEST),
          status('bad', Stage.NORMALIZE, {
            outcome: StageOutcome.REJECTED,
            reason: 'no_tests',
            message: 'It has neither tests nor a reference.',
            evidence: [{ kind: 'field', text: 'tests\u0000', value: 0 }],
          }),
        );
        const story = await stateOf('bad');
        expect(story).toMatchObject({ state: 'rejected', stage: 'normalize', reason: 'no_tests' });
        expect(story.stages).toContainEqual(
          expect.objectContaining({ stage: 'normalize', evidence: [{ kind: 'field', text: 'tests\uFFFD', value: 0 }] }),
        );
        const { body } = await client.json('GET', '/v1/status');
        expect(body.funnel).toContainEqual({ state: 'rejected', stage: 'normalize', reason: 'no_tests', problems: 1 });
      });

      it('is withdrawn by a stage, also before the problem is known, and back when that is taken back', async () => {
        const withdrawal = (name: string, takenBack: boolean) =>
          create(ProblemWithdrawnSchema, {
            problemId: idOf(name),
            version: 1,
            stage: Stage.INGEST,
            reason: 'gone',
            takenBack,
          });
        await harness.publish(topics.problemsWithdrawn, withdrawal('early', false));
        expect(await stateOf('early')).toMatchObject({ state: 'withdrawn', reason: 'gone' });
        await makeReady('early');
        expect(await stateOf('early')).toMatchObject({ state: 'withdrawn' });
        await harness.publish(topics.problemsWithdrawn, withdrawal('early', true));
        expect(await stateOf('early')).toMatchObject({ state: 'ready' });
      });

      it('keeps an old version in force while a new one is on its way', async () => {
        await makeReady('renewed');
        await harness.publish(topics.problemsStatus, status('renewed', Stage.INGEST, { version: 2 }));
        expect(await stateOf('renewed')).toMatchObject({
          state: 'ready',
          version: 1,
          incoming: { version: 2, kind: 'waiting' },
        });
      });

      it('names where an unknown problem might be found', async () => {
        const { status: code, body } = await client.json('GET', `/v1/problems/${'0'.repeat(32)}`);
        expect([code, body.code]).toEqual([404, 'unknown_problem']);
      });
    });

    const layAside = async (
      name: string,
      topic: string,
      service: ServiceName,
      // Fields 1 and 2 of every message about a problem are its id and version.
      value = toBinary(ProblemRawSchema, create(ProblemRawSchema, { problemId: idOf(name), version: 1 })),
    ) => {
      const dlqName = deadLetterTopic(topic, service);
      await harness.log.admin.ensureTopics([
        { name: dlqName, partitions: 2, cleanup: 'delete', retentionMs: 86_400_000, logAppendTime: false },
      ]);
      const letter = create(DeadLetterSchema, {
        topic,
        key: new TextEncoder().encode(idOf(name)),
        value,
        service,
        errorCode: 'unforeseen',
        errorMessage: 'nobody foresaw this',
        attempts: 1,
      });
      const dlq = {
        ...topics.problemsRaw,
        name: dlqName,
        schema: DeadLetterSchema,
        key: () => idOf(name),
        revisioned: false,
        cleanup: 'delete',
      };
      await harness.publish(dlq as unknown as TopicDefinition<typeof DeadLetterSchema>, letter);
    };

    /** Letters about a problem, as far as the gateway has followed them: a topic that is new is looked for now and then. */
    const lettersOf = async (name: string) => (await stateOf(name)).dead_letters;

    describe('a record that lies aside', () => {
      it('makes its problem dead-lettered, until the stage lets it pass', async () => {
        await harness.publish(topics.problemsStatus, status('aside', Stage.INGEST));
        await layAside('aside', topics.problemsRaw.name, 'normalize');
        await expect.poll(() => lettersOf('aside'), { timeout: 20_000 }).toHaveLength(1);
        const story = await stateOf('aside');
        expect(story).toMatchObject({ state: 'dead_lettered', stage: 'normalize', reason: 'unforeseen' });
        expect(story.dead_letters).toMatchObject([{ service: 'normalize', error_message: 'nobody foresaw this' }]);
        await harness.publish(topics.problemsStatus, status('aside', Stage.NORMALIZE));
        expect(await stateOf('aside')).toMatchObject({ state: 'waiting', reason: 'stage:dedup' });
      });

      it('of a stage off the way is shown, and the problem goes on', async () => {
        await makeReady('goes-on');
        await layAside('goes-on', topics.problemsScored.name, 'select');
        await layAside('goes-on', topics.problemsVerified.name, 'calibrate');
        await expect.poll(() => lettersOf('goes-on'), { timeout: 20_000 }).toHaveLength(2);
        expect(await stateOf('goes-on')).toMatchObject({ state: 'ready' });
      });
    });

    describe('what became of my record', () => {
      it('is found by namespace and id, and by file and line', async () => {
        await harness.publish(
          topics.problemsStatus,
          status('mine', Stage.INGEST, { submitter: { sourceFile: 'mine.jsonl', sourceRecord: 3n } }),
        );
        await harness.untilQuiet();
        const byName = await client.json('GET', '/v1/submissions?namespace=acme&id=mine');
        expect(byName.body.problems).toMatchObject([{ problem_id: idOf('mine'), state: 'waiting' }]);
        const byFile = await client.json('GET', '/v1/submissions?source_file=mine.jsonl&line=3');
        expect(byFile.body.problems).toMatchObject([{ problem_id: idOf('mine') }]);
        expect((await client.json('GET', '/v1/submissions?namespace=acme&id=never')).status).toBe(404);
        expect((await client.json('GET', '/v1/submissions')).status).toBe(422);
      });
    });

    describe('the list of problems', () => {
      it('filters, and goes on page by page without a gap or a repeat', async () => {
        await harness.publish(
          topics.problemsStatus,
          ...Array.from({ length: 7 }, (_, index) =>
            status(`page-${index}`, Stage.INGEST, { outcome: StageOutcome.REJECTED, reason: 'paged' }),
          ),
        );
        await harness.untilQuiet();
        const seen: string[] = [];
        let cursor = '';
        for (;;) {
          const page = await client.json(
            'GET',
            `/v1/problems?state=rejected&reason=paged&source=acme&limit=3${cursor}`,
          );
          seen.push(...(page.body.problems as { problem_id: string }[]).map(({ problem_id }) => problem_id));
          if (page.body.next === null) break;
          cursor = `&cursor=${page.body.next as string}`;
        }
        expect(seen).toHaveLength(7);
        expect(new Set(seen).size).toBe(7);
        expect((await client.json('GET', '/v1/problems?state=nonsense')).status).toBe(422);
        const unknown = await client.json('GET', '/v1/problems?reason=nonsense');
        expect([unknown.status, unknown.body.why]).toEqual([422, expect.stringContaining('paged') as string]);
        expect((await client.json('GET', '/v1/problems?reason=references_disagree')).body.problems).toEqual([]);
      });
    });

    const graded = (name: string, groupId: string, verdicts: readonly Verdict[]) =>
      create(RolloutsGradedSchema, {
        group: {
          groupId,
          target: 'model',
          targetVersion: 1,
          checkpoint: 'base',
          problemId: idOf(name),
          version: 1,
          purpose: Purpose.TRAIN,
        },
        verdicts: verdicts.map((verdict, index) => ({ index, verdict })),
        suiteHash: 'suite',
        submitter: { name: 'trainer' },
      });

    const estimate = (name: string, bin: Bin, previousBin: Bin, evaluation: bigint) =>
      create(DifficultyEstimatedSchema, {
        target: 'model',
        problemId: idOf(name),
        version: 1,
        bin,
        previousBin,
        evaluation,
        mean: 0.5,
        reason: 'moved',
      });

    const inSet = (name: string, value: number, bin = Bin.MEDIUM, revision = 0n) =>
      create(CuratedProblemSchema, {
        problemId: idOf(name),
        version: 1,
        target: 'model',
        bin,
        value,
        title: name,
        revision,
        statement: { sha256: sha256Hex('S'), sizeBytes: 1n, inline: new TextEncoder().encode('S') },
      });

    describe('a target', () => {
      it('counts groups once each, as calibrate does, and environment failures apart', async () => {
        await makeReady('measured');
        const { ACCEPTED, WRONG_ANSWER, SANDBOX_FAILURE } = Verdict;
        const group = graded('measured', 'g-1', [ACCEPTED, WRONG_ANSWER, SANDBOX_FAILURE]);
        const cut = graded('measured', 'g-2', [ACCEPTED, ACCEPTED]);
        for (const verdict of cut.verdicts.slice(1)) verdict.truncated = true;
        const exam = graded('measured', 'g-exam', [ACCEPTED]);
        if (exam.group) exam.group.purpose = Purpose.EVALUATE;
        const again = { ...graded('measured', 'g-1', [ACCEPTED, ACCEPTED, ACCEPTED]), suiteHash: 'next' };
        await harness.publish(topics.rolloutsGraded, group, group, cut, exam);
        await harness.untilQuiet();
        await harness.publish(topics.rolloutsGraded, again);
        await harness.untilQuiet();
        const bins = async () => (await client.json('GET', '/v1/targets/model/bins')).body;
        const counts = { groups: 2, attempts: 4, passes: 2, environment_failures: 1 };
        expect(await bins()).toMatchObject(counts);
        const [target] = (await stateOf('measured')).targets as Record<string, unknown>[];
        expect(target?.evidence).toContainEqual(
          expect.objectContaining({
            purpose: 'train',
            suite_hash: 'suite',
            verdicts: { accepted: 3, wrong_answer: 1, sandbox_failure: 1 },
            truncated: 1,
          }),
        );
        expect(target?.groups).toHaveLength(4);
        // One that calibrate lays aside, because it came late for example, leaves the counts, or never enters them.
        const late = graded('measured', 'g-late', [ACCEPTED]);
        await layAside('measured', topics.rolloutsGraded.name, 'calibrate', toBinary(RolloutsGradedSchema, cut));
        await layAside('measured', topics.rolloutsGraded.name, 'calibrate', toBinary(RolloutsGradedSchema, late));
        await harness.untilQuiet();
        await harness.publish(topics.rolloutsGraded, late);
        await harness.untilQuiet();
        // The topic of the letters is new: it is looked for now and then.
        const left = { groups: 1, attempts: 2, passes: 1, environment_failures: 1 };
        await expect.poll(bins, { timeout: 20_000 }).toMatchObject(left);
      });

      it('has every ready problem of the training side in exactly one place', async () => {
        const names = ['in-panel', 'in-set', 'is-mastered', 'is-unsolved', 'in-reserve', 'for-exam'];
        for (const name of names) await makeReady(name, name === 'for-exam' ? Split.HELD_OUT : Split.TRAIN);
        await harness.publish(
          topics.panelsDrawn,
          create(PanelMemberSchema, { target: 'model', problemId: idOf('in-panel'), version: 1 }),
        );
        await harness.publish(curated, inSet('in-set', 0.9), inSet('in-panel', 0.5));
        await harness.publish(
          topics.difficultyEstimated,
          estimate('is-mastered', Bin.MASTERED, Bin.EASY, 1n),
          estimate('is-unsolved', Bin.UNSOLVED, Bin.HARD, 1n),
          estimate('in-reserve', Bin.EASY, Bin.UNSPECIFIED, 1n),
        );
        await harness.untilQuiet();
        const placements = await Promise.all(
          names.map(async (name) => {
            const { targets } = await stateOf(name);
            return (targets as { placement: { kind: string } }[])[0]?.placement.kind;
          }),
        );
        expect(placements).toEqual(['panel', 'curated', 'set_aside', 'set_aside', 'reserve', undefined]);
        const binsNow = async () => (await client.json('GET', '/v1/targets/model/bins')).body;
        // Counts are exact once all is quiet; that is looked for now and then.
        await expect.poll(binsNow, { timeout: 20_000 }).toMatchObject({ panel: 1, curated: 1, set_aside: 2 });
        const body = await binsNow();
        const ready = await client.json('GET', '/v1/problems?state=ready&held_out=false&limit=1000');
        const { panel, curated: inWorkingSet, set_aside, reserve } = body as Record<string, number>;
        expect((panel ?? 0) + (inWorkingSet ?? 0) + (set_aside ?? 0) + (reserve ?? 0)).toBe(
          (ready.body.problems as object[]).length,
        );
        expect(body.bins).toMatchObject({ medium: { curated: 1, measured: 0 }, mastered: { curated: 0, measured: 1 } });
      });

      it('tells its moves once, whether an estimate or an evaluation names them', async () => {
        const move = { problemId: idOf('is-mastered'), from: Bin.EASY, to: Bin.MASTERED, reason: 'moved' };
        await harness.publish(
          topics.evaluationsRecorded,
          create(EvaluationRecordedSchema, { target: 'model', number: 1n, moves: [move] }),
        );
        await harness.untilQuiet();
        const { body } = await client.json('GET', '/v1/targets/model/moves');
        const moves = (body.moves as { problem_id: string }[]).filter(
          ({ problem_id }) => problem_id === idOf('is-mastered'),
        );
        expect(moves).toMatchObject([{ from: 'easy', to: 'mastered', evaluation: 1 }]);
      });

      it('gives its working set in rank order, by bin, and follows moves and leaves', async () => {
        await harness.publish(curated, inSet('rank-1', 3, Bin.HARD), inSet('rank-2', 2), inSet('rank-3', 1, Bin.HARD));
        await harness.untilQuiet();
        const hard = await client.lines('/v1/targets/model/curated?bin=hard');
        expect(hard).toMatchObject([
          { rank: 1, title: 'rank-1', bin: 'hard', statement: 'S' },
          { rank: 2, title: 'rank-3' },
        ]);
        await harness.publish(curated, inSet('rank-3', 5, Bin.MEDIUM));
        await harness.publishTombstone(curated, idOf('rank-1'));
        await harness.untilQuiet();
        expect(await client.lines('/v1/targets/model/curated?bin=hard')).toEqual([]);
        expect(await client.lines('/v1/targets/model/curated?view=summary&limit=1')).toMatchObject([
          { title: 'rank-3', value: 5 },
        ]);
        expect((await client.lines('/v1/targets/model/curated?view=summary'))[0]).not.toHaveProperty('statement');
        expect((await client.json('GET', '/v1/targets/nobody/curated')).status).toBe(404);
        // Away for longer than tombstones are kept: a key whose tombstone went unseen is no part of it any more.
        const [ghost] = await harness.query<{ problem_id: string }>(
          `UPDATE curated SET problem_id = repeat('0', 32) WHERE problem_id = $1 RETURNING problem_id`,
          [idOf('rank-2')],
        );
        expect(ghost).toBeDefined();
        await harness.query(`UPDATE followed SET looked_at = now() - interval '8 days'`);
        const held = async () =>
          (await harness.query<{ problem_id: string }>('SELECT problem_id FROM curated')).map(
            ({ problem_id }) => problem_id,
          );
        await expect.poll(held, { timeout: 10_000 }).toContain(idOf('rank-2'));
        expect(await held()).not.toContain(ghost?.problem_id);
      });
    });

    describe('after a crash', () => {
      it('goes on where it was, and counts nothing twice', async () => {
        const crashed = harness.crashAt('after-commit');
        await harness.publish(topics.rolloutsGraded, graded('measured', 'g-3', [Verdict.ACCEPTED]));
        await crashed;
        await harness.restart();
        await harness.untilQuiet();
        const bins = (await client.json('GET', '/v1/targets/model/bins')).body;
        expect(bins).toMatchObject({ groups: 2, attempts: 3, passes: 2 });
        await harness.publish(
          topics.problemsScored,
          create(ProblemScoredSchema, { problemId: idOf('measured'), version: 1, score: 2.5 }),
        );
        expect(await stateOf('measured')).toMatchObject({ state: 'ready', score: { score: 2.5 } });
      });
    });
  });
}

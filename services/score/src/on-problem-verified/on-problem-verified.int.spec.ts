import { createHash } from 'node:crypto';
import { create } from '@bufbuild/protobuf';
import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import { topics } from '@tidemark/event-log';
import {
  OriginKind,
  ProblemVerifiedSchema,
  ProblemWithdrawnSchema,
  Stage,
  StageOutcome,
  TaskKind,
  TestForm,
} from '@tidemark/proto';
import { type StageHarness, startStage } from '@tidemark/stage-runtime/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { scoreService } from '../index.ts';

const bytes = (text: string) => new TextEncoder().encode(text);
const payload = (text: string) => ({
  sha256: createHash('sha256').update(text).digest('hex'),
  sizeBytes: BigInt(bytes(text).length),
  inline: bytes(text),
});

function verified(problemId: string, version: number, statement: string, reference: string) {
  return create(ProblemVerifiedSchema, {
    problemId,
    version,
    suiteHash: `suite-${version}`,
    suite: payload('tests'),
    testCount: 4,
    origin: { namespace: 'spec', kind: OriginKind.REAL, publishedAt: timestampFromMs(Date.UTC(2024, 6, 2)) },
    content: {
      statement: payload(statement),
      taskKind: TaskKind.STDIN_PROGRAM,
      testForm: TestForm.STDIN,
      limits: { cpuTimeMs: 2000 },
      solutions: [
        { source: payload(reference), language: 'python', claimedRight: true },
        { source: payload('import heapq\n'.repeat(50)), language: 'python', claimedRight: false },
      ],
    },
  });
}

describe('scoring verified problems', () => {
  let stage: StageHarness;
  beforeAll(async () => {
    stage = await startStage(scoreService);
  });
  afterAll(() => stage?.stop());

  it('publishes dimensions, features, score and what made them, and says that it passed', async () => {
    await stage.publish(
      topics.problemsVerified,
      verified('easy', 1, 'Print the sum of two numbers.', 'print(sum(map(int, input().split())))\n'),
      verified(
        'hard',
        1,
        'Given a graph with n nodes (1 ≤ n ≤ 2·10^5), print the length of the shortest cycle for each of q queries.',
        'import heapq\n' + 'for a in b:\n    for c in a:\n        if c > 1:\n            best[c] = a\n'.repeat(9),
      ),
    );
    await stage.untilQuiet();

    const scored = new Map((await stage.published(topics.problemsScored)).map(({ key, value }) => [key, value]));
    const easy = scored.get('easy');
    expect(easy).toMatchObject({ version: 1, suiteHash: 'suite-1', score: 1, revision: 1n });
    expect(easy?.predictor).toMatchObject({ name: 'static-features', version: '1', settings: { kind: 'static' } });
    expect(easy?.weights).toEqual({ pcd: 0.05, kbr: 0.05, atc: 0.45, id: 0.35, od: 0.1 });
    expect(easy?.assessments.map(({ number, weighted }) => [number, weighted])).toEqual([[1, 1]]);
    // The solution that is known to be wrong is not looked at.
    expect(easy?.features).toMatchObject({
      reference_lines: 1,
      reference_tools: 0,
      test_count: 4,
      published_year: 2024.5,
    });
    expect(scored.get('hard')?.score).toBeGreaterThan(3);
    expect(scored.get('hard')?.features.size_limit_exponent).toBe(5.3);

    const statuses = (await stage.published(topics.problemsStatus)).map(({ value }) => value);
    expect(statuses.map((status) => [status?.problemId, status?.stage, status?.outcome]).sort()).toEqual([
      ['easy', Stage.SCORE, StageOutcome.PASSED],
      ['hard', Stage.SCORE, StageOutcome.PASSED],
    ]);
  });

  it('scores a new version, and takes no notice of an old one that comes late', async () => {
    await stage.publish(topics.problemsVerified, verified('changed', 2, 'Print 2.', 'print(2)\n'));
    await stage.untilQuiet();
    await stage.publish(topics.problemsVerified, verified('changed', 1, 'Print 1.', 'print(1)\n'));
    await stage.untilQuiet();

    const versions = (await stage.published(topics.problemsScored))
      .filter(({ key }) => key === 'changed')
      .map(({ value }) => value?.version);
    expect(versions).toEqual([2]);
    expect(await stage.query("SELECT version FROM score WHERE problem_id = 'changed'")).toEqual([{ version: 2 }]);
  });

  it('takes its score back when the problem is removed', async () => {
    await stage.publish(topics.problemsVerified, verified('removed', 1, 'Print 1.', 'print(1)\n'));
    await stage.untilQuiet();
    await stage.publishTombstone(topics.problemsVerified, 'removed');
    await stage.untilQuiet();

    const last = (await stage.published(topics.problemsScored)).filter(({ key }) => key === 'removed').at(-1);
    expect(last?.value).toBeUndefined();
    expect(await stage.query("SELECT 1 FROM score WHERE problem_id = 'removed'")).toEqual([]);
  });

  it('scores nothing of what a stage withdraws, until it is taken back', async () => {
    const withdrawn = (version: number, takenBack: boolean) =>
      create(ProblemWithdrawnSchema, { problemId: 'out', version, stage: Stage.DEDUP, takenBack });
    const versions = async () =>
      (await stage.published(topics.problemsScored))
        .filter(({ key }) => key === 'out')
        .map(({ value }) => [value?.version, value?.revision]);
    await stage.publish(topics.problemsWithdrawn, withdrawn(2, false));
    await stage.untilQuiet();
    await stage.publish(topics.problemsVerified, verified('out', 1, 'Print 1.', 'print(1)\n'));
    await stage.untilQuiet();
    await stage.publish(topics.problemsVerified, verified('out', 2, 'Print 2.', 'print(2)\n'));
    await stage.untilQuiet();
    expect(await versions()).toEqual([]);
    await stage.publish(topics.problemsWithdrawn, withdrawn(2, true));
    await stage.untilQuiet();
    expect(await versions()).toEqual([[2, 1n]]);
    // Withdrawn again, and a version behind that: it is not held up, and leaves nothing waiting.
    await stage.publish(topics.problemsWithdrawn, withdrawn(2, false));
    await stage.untilQuiet();
    await stage.publish(topics.problemsVerified, verified('out', 2, 'Print 2.', 'print(2)\n'));
    await stage.untilQuiet();
    await stage.publish(topics.problemsVerified, verified('out', 3, 'Print 3.', 'print(3)\n'));
    await stage.untilQuiet();
    expect(await versions()).toEqual([
      [2, 1n],
      [3, 2n],
    ]);
    expect(await stage.query('SELECT 1 FROM withheld')).toEqual([]);
  });
});

import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, unlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { deadLetterTopic, topic, topics } from '@tidemark/event-log';
import { sha256Hex } from '@tidemark/identity';
import {
  AnswerForm,
  DeadLetterSchema,
  ProblemStatusSchema,
  ProblemWithdrawnSchema,
  Split,
  Stage,
  StageOutcome,
  TestForm,
  TestSuiteSchema,
  Verdict,
} from '@tidemark/proto';
import { type StageHarness, startStage } from '@tidemark/stage-runtime/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { executeService } from './index.ts';
import { adding, asserting, group, PROMPT, SUM, target, unique } from './testing/events.ts';

describe('execute', () => {
  let stage: StageHarness;
  beforeEach(async () => {
    stage = await startStage(executeService, {
      config: { workers: '2', maxParkedPerSubmitter: '2', parkedForMs: '1000' },
    });
    expect(stage.service.readiness()).toEqual({ ready: true, reasons: [] });
  });
  afterEach(() => stage.stop());

  const statuses = async () => {
    const records = await stage.published(topics.problemsStatus);
    return new Map(records.map(({ value }) => [value?.problemId, value]));
  };
  const graded = async (groupId: string) => {
    const records = await stage.published(topics.rolloutsGraded);
    return records.filter(({ value }) => value?.group?.groupId === groupId).map(({ value }) => value);
  };
  const laidAside = () =>
    stage.published(
      topic(deadLetterTopic(topics.rolloutsSubmitted.name, 'execute'), {
        schema: DeadLetterSchema,
        cleanup: 'delete',
        writtenBy: ['execute'],
        readBy: [],
        says: '',
      }),
    );

  it('verifies problems whose references pass, and says why others are not', async () => {
    await stage.publish(
      topics.problemsUnique,
      unique('sum', adding, [SUM], { split: Split.HELD_OUT }),
      unique('double', asserting('assert double(2) == 4', 'assert double(3) == 6'), [`${PROMPT}    return x + x\n`]),
      unique('wrong', asserting('assert double(2) == 4', 'assert double(3) == 7'), [`${PROMPT}    return x + x\n`]),
      unique('none', adding, []),
      unique('cobol', adding, ['DISPLAY 3.'], { language: 'cobol' }),
      unique('broken', asserting('assert double('), [`${PROMPT}    return x + x\n`]),
    );
    await stage.untilQuiet();

    const verified = new Map((await stage.published(topics.problemsVerified)).map(({ key, value }) => [key, value]));
    expect([...verified.keys()].sort()).toEqual(['double', 'sum']);
    expect(verified.get('sum')).toMatchObject({
      version: 1,
      suiteHash: sha256Hex(toBinary(TestSuiteSchema, adding)),
      testCount: 2,
      split: Split.HELD_OUT,
      references: [{ language: 'python', testsRun: 2 }],
    });
    expect(verified.get('sum')?.judgeVersion).toMatch(/^[0-9a-f]{16}$/);

    const said = await statuses();
    expect(said.get('sum')).toMatchObject({ stage: Stage.EXECUTE, outcome: StageOutcome.PASSED });
    expect(said.get('wrong')).toMatchObject({ outcome: StageOutcome.REJECTED, reason: 'reference_failed' });
    expect(said.get('wrong')?.evidence[0]).toMatchObject({ kind: 'failing_assertion', text: 'assert double(3) == 7' });
    expect(said.get('none')).toMatchObject({ outcome: StageOutcome.REJECTED, reason: 'no_reference' });
    expect(said.get('cobol')).toMatchObject({ outcome: StageOutcome.WAITING, reason: 'language_missing' });
    expect(said.get('broken')).toMatchObject({ outcome: StageOutcome.REJECTED, reason: 'tests_unusable' });
  });

  it('says of a suite that it runs in the program’s own process where no reference passes apart, also when it is said again', async () => {
    const node = (split: Split) =>
      unique(
        'node',
        asserting('assert double(Node(3)) == 6'),
        [`class Node:\n    def __init__(s, v): s.v = v\ndef double(n): return n.v * 2`],
        { split },
      );
    await stage.publish(
      topics.problemsUnique,
      unique('double', asserting('assert double(3) == 6'), [`${PROMPT}    return x + x\n`]),
      node(Split.HELD_OUT),
    );
    await stage.untilQuiet();
    const shared = async () => {
      const records = await stage.published(topics.problemsVerified);
      return new Map(records.map(({ key, value }) => [key, [value?.sharesProcess, value?.split]]));
    };
    expect(Object.fromEntries(await shared())).toEqual({
      double: [false, Split.TRAIN],
      node: [true, Split.HELD_OUT],
    });
    // As a release of before stored it.
    await stage.query(`UPDATE suites SET verified_event = substring(verified_event FOR length(verified_event) - 2)
      WHERE problem_id = 'node' AND substring(verified_event FROM length(verified_event) - 1) = '\\x7001'`);
    await stage.publish(topics.problemsUnique, node(Split.TRAIN));
    await stage.untilQuiet();
    expect((await shared()).get('node')).toEqual([true, Split.TRAIN]);
  });

  it('makes missing expected outputs by running the references, and rejects when they do not agree', async () => {
    const asking = create(TestSuiteSchema, {
      form: TestForm.FUNCTION_CALL,
      language: 'python',
      entryPoint: 'f',
      tests: [{ name: 'big', body: { case: 'call', value: { argumentsJson: ['9007199254740993'] } } }],
    });
    await stage.publish(
      topics.problemsUnique,
      unique('made', asking, ['def f(x): return [x, x + 1]', 'class Solution:\n    def f(self, x): return x, x + 1']),
      unique('flaky', asking, ['import os\ndef f(x): return os.urandom(8).hex()']),
      unique('split', asking, ['def f(x): return 1', 'def f(x): return 2']),
      unique('failing', asking, ['def f(x): return 1 // 0']),
    );
    await stage.untilQuiet(40_000);
    const [made, ...others] = (await stage.published(topics.problemsVerified)).map(({ value }) => value);
    expect(others).toEqual([]);
    const suite = fromBinary(TestSuiteSchema, made?.suite?.inline ?? new Uint8Array());
    expect(suite.tests[0]?.body.value).toMatchObject({ expectedJson: '[9007199254740993,9007199254740994]' });
    expect(made?.suiteHash).toBe(sha256Hex(toBinary(TestSuiteSchema, suite)));
    const said = await statuses();
    expect(['flaky', 'split', 'failing'].map((id) => said.get(id)?.reason)).toEqual([
      'reference_flaky',
      'references_disagree',
      'reference_failed',
    ]);
  });

  it('gives every attempt of a group one verdict, and shows no expected output', async () => {
    await stage.publish(topics.targetsDeclared, target('chat', AnswerForm.CHAT), target('base', AnswerForm.COMPLETION));
    await stage.publish(
      topics.problemsUnique,
      unique('sum', adding, [SUM]),
      unique('double', asserting('assert double(2) == 4'), [`${PROMPT}    return x + x\n`], { starterCode: PROMPT }),
    );
    await stage.untilQuiet();
    await stage.publish(
      topics.rolloutsSubmitted,
      group('chat-group', 'sum', 'chat', [
        `Sure:\n\`\`\`python\n${SUM}\`\`\`\n`,
        '```python\nprint(3)\n```',
        '```python\nraise ValueError("no")\n```',
        '```python\nwhile True: pass\n```',
        '```python\ndef f(a, b): return a + b\n```',
        '```python\nprint(\n```',
        'I can not do that.',
        '```python\nimport os; os._exit(0)\n```',
      ]),
      group('base-group', 'double', 'base', [
        '    return x * 2\ndef other(): pass',
        '    return x\n',
        'import os\nos._exit(0)\n',
      ]),
    );
    await stage.untilQuiet(60_000);

    const [chat] = await graded('chat-group');
    expect(chat?.verdicts.map(({ verdict }) => verdict)).toEqual([
      Verdict.ACCEPTED,
      Verdict.WRONG_ANSWER,
      Verdict.RUNTIME_ERROR,
      Verdict.TIME_LIMIT,
      Verdict.WRONG_FORM,
      Verdict.COMPILE_ERROR,
      Verdict.NO_CODE,
      Verdict.WRONG_ANSWER,
    ]);
    expect(chat?.group).toMatchObject({ version: 1, groupId: 'chat-group' });
    expect(chat?.verdicts[0]).toMatchObject({ testsRun: 2, testsPassed: 2, failingTest: '' });
    expect(chat?.verdicts[1]).toMatchObject({ testsRun: 2, testsPassed: 1, failingTest: 'secret' });
    expect(chat?.verdicts[1]?.excerpt).not.toContain('42');

    const [base] = await graded('base-group');
    expect(base?.verdicts.map(({ verdict }) => verdict)).toEqual([
      Verdict.ACCEPTED,
      Verdict.WRONG_ANSWER,
      Verdict.RUNTIME_ERROR,
    ]);
  }, 120_000);

  it('lets groups wait for problem and target, bounded, and lays aside what never came', async () => {
    await stage.publish(topics.targetsDeclared, target('chat', AnswerForm.CHAT));
    await stage.publish(topics.rolloutsSubmitted, group('early', 'later', 'chat', [`\`\`\`\n${SUM}\`\`\``]));
    await stage.untilQuiet();
    expect(await graded('early')).toEqual([]);
    await stage.publish(topics.problemsUnique, unique('later', adding, [SUM]));
    await stage.untilQuiet();
    expect((await graded('early'))[0]?.verdicts.map(({ verdict }) => verdict)).toEqual([Verdict.ACCEPTED]);

    await stage.publish(
      topics.rolloutsSubmitted,
      ...['never-1', 'never-2', 'never-3'].map((id) => group(id, 'never', 'chat', ['x'])),
    );
    await stage.untilQuiet();
    expect((await laidAside()).map(({ value }) => value?.errorCode)).toEqual(['too_many_waiting']);
    await expect.poll(async () => (await laidAside()).length, { timeout: 30_000, interval: 500 }).toBe(3);
    const codes = (await laidAside()).map(({ value }) => value?.errorCode).sort();
    expect(codes).toEqual(['too_many_waiting', 'unknown_problem', 'unknown_problem']);
  });

  it('refuses groups of an exact duplicate once the other is verified, and grades them when it takes its place', async () => {
    const word = (name: string, of: string | undefined) =>
      create(ProblemStatusSchema, {
        problemId: name,
        version: 1,
        stage: Stage.DEDUP,
        ...(of === undefined
          ? { outcome: StageOutcome.PASSED }
          : {
              outcome: StageOutcome.REJECTED,
              reason: 'exact_duplicate',
              evidence: [{ kind: 'duplicate_of', subjectId: of }],
            }),
      });
    await stage.stop();
    stage = await startStage(executeService, { config: { workers: '2' } });
    await stage.publish(topics.targetsDeclared, target('chat', AnswerForm.CHAT));
    await stage.publish(topics.rolloutsSubmitted, group('before', 'copy', 'chat', [`\`\`\`\n${SUM}\`\`\``]));
    await stage.publish(topics.problemsStatus, word('copy', 'original'), word('orphan', 'wrong'));
    await stage.publish(
      topics.problemsUnique,
      unique('original', adding, [SUM]),
      unique('wrong', adding, ['print(1)']),
    );
    await stage.publish(topics.rolloutsSubmitted, group('orphaned', 'orphan', 'chat', [`\`\`\`\n${SUM}\`\`\``]));
    const faults = async () => (await laidAside()).map(({ value }) => [value?.errorCode, value?.errorMessage]);
    const fault = ['exact_duplicate', 'problem copy is an exact duplicate of original: report attempts at that one'];
    await expect.poll(faults, { timeout: 60_000 }).toEqual([fault]);
    await stage.publish(topics.rolloutsSubmitted, group('after', 'copy', 'chat', [`\`\`\`\n${SUM}\`\`\``]));
    await expect.poll(faults, { timeout: 60_000 }).toEqual([fault, fault]);
    // The other was found wanting: dedup lets the duplicate represent them.
    await stage.publish(topics.problemsStatus, word('orphan', undefined));
    await stage.publish(topics.problemsUnique, unique('orphan', adding, [SUM]));
    await stage.untilQuiet(60_000);
    expect(await graded('orphaned')).toHaveLength(1);
  }, 150_000);

  it('takes waiting groups up only when there is room for their jobs', async () => {
    const narrow = await startStage(executeService, { config: { workers: '2', maxOpenJobs: '1' } });
    try {
      await narrow.publish(topics.targetsDeclared, target('chat', AnswerForm.CHAT));
      await narrow.publish(topics.rolloutsSubmitted, group('early', 'sum', 'chat', [`\`\`\`\n${SUM}\`\`\``]));
      await narrow.untilQuiet();
      await narrow.query(
        `INSERT INTO jobs (kind, key, cause_id, payload, available_at) VALUES ('grade', 'x', 'x', '', now() + interval '1 day')`,
      );
      await narrow.publish(topics.problemsUnique, unique('sum', adding, [SUM]));
      const work = async () => (await narrow.service.activity()).pendingWork;
      await expect.poll(work, { timeout: 20_000 }).toMatchObject({ parkedGroupsReady: 1 });
      await sleep(2_500);
      expect(await narrow.query('SELECT key FROM jobs')).toEqual([{ key: 'x' }]);
      await narrow.query('DELETE FROM jobs');
      await narrow.untilQuiet();
      expect(await narrow.published(topics.rolloutsGraded)).toHaveLength(1);
    } finally {
      await narrow.stop();
    }
  });

  it('judges a group by the suite of its own version, and keeps the old one in force until the new one is judged', async () => {
    await stage.publish(topics.targetsDeclared, target('chat', AnswerForm.CHAT));
    await stage.publish(
      topics.problemsUnique,
      unique('changing', asserting('assert double(2) == 4'), ['double = lambda x: x * 2']),
    );
    await stage.untilQuiet();
    await stage.publish(
      topics.problemsUnique,
      unique('changing', asserting('assert double(2) == 8'), ['double = lambda x: x * 4'], { version: 2 }),
    );
    await stage.untilQuiet();
    const answer = '```python\ndouble = lambda x: x * 2\n```';
    await stage.publish(
      topics.rolloutsSubmitted,
      group('old', 'changing', 'chat', [answer], 1),
      group('new', 'changing', 'chat', [answer], 2),
      group('unknown', 'changing', 'chat', [answer]),
    );
    await stage.untilQuiet();
    const [first, second] = (await stage.published(topics.problemsVerified)).map(({ value }) => value?.suiteHash);
    const changes = (await stage.published(topics.suitesChanged)).map(({ value }) => value);
    expect(changes).toMatchObject([
      {
        problemId: 'changing',
        version: 2,
        oldSuiteHash: first,
        newSuiteHash: second,
        reason: 'new_version',
        revision: 1n,
      },
    ]);
    const verdictOf = async (id: string) => (await graded(id))[0]?.verdicts[0]?.verdict;
    expect(await verdictOf('old')).toBe(Verdict.ACCEPTED);
    expect(await verdictOf('new')).toBe(Verdict.WRONG_ANSWER);
    expect(await verdictOf('unknown')).toBe(Verdict.WRONG_ANSWER);

    await stage.publish(
      topics.problemsUnique,
      unique('changing', asserting('assert False'), ['double = 1'], { version: 3 }),
    );
    await stage.untilQuiet();
    const withdrawn = (await stage.published(topics.problemsWithdrawn)).map(({ value }) => value);
    expect(withdrawn).toMatchObject([
      { problemId: 'changing', version: 3, stage: Stage.EXECUTE, reason: 'reference_failed' },
    ]);
  });

  it('says a verified problem again when its split changes, without running anything', async () => {
    await stage.publish(topics.problemsUnique, unique('moving', adding, [SUM], { split: Split.HELD_OUT }));
    await stage.untilQuiet();
    await stage.publish(topics.problemsUnique, unique('moving', adding, [SUM], { split: Split.TRAIN }));
    await stage.untilQuiet();
    const events = (await stage.published(topics.problemsVerified)).map(({ value }) => value);
    expect(events.map((event) => [event?.split, event?.revision])).toEqual([
      [Split.HELD_OUT, 1n],
      [Split.TRAIN, 2n],
    ]);
    expect(events[0]?.references).toEqual(events[1]?.references);
  });

  it('does not verify what is withdrawn, until that is taken back', async () => {
    const withdrawal = { problemId: 'gone', version: 1, stage: Stage.INGEST, reason: 'withdrawn' };
    await stage.publish(topics.problemsWithdrawn, create(ProblemWithdrawnSchema, withdrawal));
    await stage.untilQuiet();
    await stage.publish(topics.problemsUnique, unique('gone', adding, [SUM]));
    await stage.untilQuiet();
    expect(await stage.published(topics.problemsVerified)).toEqual([]);
    await stage.publish(topics.problemsWithdrawn, create(ProblemWithdrawnSchema, { ...withdrawal, takenBack: true }));
    await stage.untilQuiet();
    expect((await stage.published(topics.problemsVerified)).map(({ key }) => key)).toEqual(['gone']);
  });
});

describe('a machine that lacks something', () => {
  it('that can not isolate is not ready, says why, and keeps its jobs', async () => {
    const stage = await startStage(executeService, { config: { bwrap: '/bin/false' } });
    try {
      expect(stage.service.readiness()).toMatchObject({ ready: false });
      expect(stage.service.readiness().reasons[0]).toContain("programs can't be isolated here");
      await stage.publish(topics.problemsUnique, unique('sum', adding, [SUM]));
      const openJobs = async () => (await stage.service.activity()).openJobs.verify;
      await expect.poll(openJobs, { timeout: 10_000 }).toBe(1);
      expect(await stage.published(topics.problemsStatus)).toEqual([]);
    } finally {
      await stage.stop();
    }
  });

  it('drops the job of a version that was withdrawn meanwhile, and makes it again when that is taken back', async () => {
    const stage = await startStage(executeService, { config: { bwrap: '/bin/false' } });
    try {
      await stage.publish(topics.problemsUnique, unique('sum', adding, [SUM]));
      const openJobs = async () => (await stage.service.activity()).openJobs.verify ?? 0;
      await expect.poll(openJobs, { timeout: 10_000 }).toBe(1);
      const withdrawal = { problemId: 'sum', version: 1, stage: Stage.GATEWAY, reason: 'asked' };
      await stage.publish(topics.problemsWithdrawn, create(ProblemWithdrawnSchema, withdrawal));
      await stage.untilQuiet();
      expect(await stage.published(topics.problemsStatus)).toEqual([]);
      await stage.publish(topics.problemsWithdrawn, create(ProblemWithdrawnSchema, { ...withdrawal, takenBack: true }));
      await expect.poll(openJobs, { timeout: 10_000 }).toBe(1);
    } finally {
      await stage.stop();
    }
  });

  it('that has no Python lets problems and groups in it wait, says so, and takes them up when it has', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'tidemark-python-'));
    const python = join(folder, 'python3');
    const installed = execFileSync('which', ['python3'], { encoding: 'utf8' }).trim();
    symlinkSync(installed, python);
    const stage = await startStage(executeService, { config: { python, parkedForMs: '1000' } });
    const grades = async () =>
      (await stage.published(topics.rolloutsGraded)).map(({ value }) => value?.verdicts[0]?.verdict);
    try {
      await stage.publish(topics.targetsDeclared, target('chat', AnswerForm.CHAT));
      await stage.publish(topics.problemsUnique, unique('sum', adding, [SUM]));
      await stage.untilQuiet();

      unlinkSync(python);
      await stage.restart();
      const { ready, reasons } = stage.service.readiness();
      expect([ready, reasons.join()]).toEqual([false, expect.stringContaining('language missing: python')]);
      const answer = `\`\`\`python\n${SUM}\`\`\``;
      await stage.publish(
        topics.rolloutsSubmitted,
        group('known', 'sum', 'chat', [answer]),
        group('new', 'later', 'chat', [answer]),
      );
      await stage.publish(topics.problemsUnique, unique('later', adding, [SUM]));
      await stage.untilQuiet();
      const said = (await stage.published(topics.problemsStatus)).find(({ value }) => value?.problemId === 'later');
      expect(said?.value).toMatchObject({ outcome: StageOutcome.WAITING, reason: 'language_missing' });
      expect(await stage.query("SELECT language FROM parked_groups WHERE problem_id = 'sum'")).toEqual([
        { language: 'python' },
      ]);
      expect(await grades()).toEqual([]);

      symlinkSync(installed, python);
      await stage.restart();
      await expect.poll(grades, { timeout: 30_000 }).toEqual([Verdict.ACCEPTED, Verdict.ACCEPTED]);
      await stage.untilQuiet();
      expect((await stage.published(topics.problemsVerified)).map(({ key }) => key).sort()).toEqual(['later', 'sum']);
      expect(stage.service.readiness()).toEqual({ ready: true, reasons: [] });
      const deadLetters = Object.values((await stage.service.activity()).deadLetters);
      expect(deadLetters.filter((count) => count > 0)).toEqual([]);
    } finally {
      await stage.stop();
      rmSync(folder, { recursive: true });
    }
  }, 90_000);

  it('that has no control groups judges by limits of processes', async () => {
    const stage = await startStage(executeService, { config: { accounting: 'rlimits' } });
    try {
      await stage.publish(topics.problemsUnique, unique('sum', adding, [SUM]), unique('wrong', adding, ['print(3)']));
      await stage.untilQuiet();
      const verified = (await stage.published(topics.problemsVerified)).map(({ key }) => key);
      expect(verified).toEqual(['sum']);
    } finally {
      await stage.stop();
    }
  });
});

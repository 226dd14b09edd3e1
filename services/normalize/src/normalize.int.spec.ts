import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { topics } from '@tidemark/event-log';
import { sha256Hex } from '@tidemark/identity';
import {
  CheckerKind,
  OriginKind,
  type Payload,
  ProblemContentSchema,
  type ProblemRaw,
  ProblemRawSchema,
  ProblemWithdrawnSchema,
  SolutionSchema,
  Stage,
  StageOutcome,
  TaskKind,
  TestCaseSchema,
  TestForm,
  TestSuiteSchema,
} from '@tidemark/proto';
import { type StageHarness, startStage } from '@tidemark/stage-runtime/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { normalizeService } from './index.ts';

let stage: StageHarness;
beforeEach(async () => {
  stage = await startStage(normalizeService);
});
afterEach(() => stage.stop());

const id = (n: number) => String(n).padStart(32, '0');

function payloadOf(content: Uint8Array | string) {
  const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content;
  return { sha256: sha256Hex(bytes), sizeBytes: BigInt(bytes.length), inline: bytes };
}

const asserts = (...code: string[]) =>
  create(TestSuiteSchema, {
    form: TestForm.ASSERT_SCRIPT,
    language: 'python',
    tests: code.map((one, i) =>
      create(TestCaseSchema, { name: `${i + 1}`, body: { case: 'asserts', value: { code: one } } }),
    ),
  });

function raw(
  problemId: string,
  version: number,
  statement: string,
  suite?: ReturnType<typeof asserts>,
  reference?: string,
): ProblemRaw {
  return create(ProblemRawSchema, {
    problemId,
    version,
    origin: { namespace: 'own', recordId: problemId, kind: OriginKind.REAL },
    content: create(ProblemContentSchema, {
      statement: payloadOf(statement),
      taskKind: TaskKind.FUNCTION,
      languages: ['python'],
      starterCode: 'def f():\r\n',
      ...(suite === undefined ? {} : { testSuite: payloadOf(toBinary(TestSuiteSchema, suite)) }),
      solutions:
        reference === undefined ? [] : [create(SolutionSchema, { source: payloadOf(reference), claimedRight: true })],
    }),
  });
}

async function statuses() {
  return (await stage.published(topics.problemsStatus)).map(({ value }) => [
    value?.version,
    value?.outcome,
    value?.reason,
  ]);
}

describe('a raw problem', () => {
  it('goes on clean, with its tests in one form and its origin', async () => {
    await stage.publish(topics.problemsRaw, raw(id(1), 1, '\r\nSort the ar\u200Bray.\r\n', asserts('assert f()\r\n')));
    await stage.untilQuiet();
    const [record] = await stage.published(topics.problemsNormalized);
    const content = record?.value?.content;
    expect(new TextDecoder().decode(content?.statement?.inline)).toBe('Sort the array.');
    expect(content?.starterCode).toBe('def f():\n');
    expect(record?.value?.origin).toMatchObject({ namespace: 'own', kind: OriginKind.REAL });
    const suite = fromBinary(TestSuiteSchema, content?.testSuite?.inline ?? new Uint8Array());
    expect(suite.tests[0]?.body.value).toMatchObject({ code: 'assert f()\n' });
    expect(record?.value?.notes.map((note) => note.code)).toEqual(['line_ends', 'removed_invisible', 'trimmed']);
    expect(await statuses()).toEqual([[1, StageOutcome.PASSED, '']]);
  });

  it('goes on without tests when it has a reference, and is rejected with neither', async () => {
    await stage.publish(
      topics.problemsRaw,
      raw(id(1), 1, 'A', undefined, 'x = 1'),
      raw(id(2), 1, 'B'),
      raw(id(3), 1, ' \u200B', asserts('x')),
    );
    await stage.untilQuiet();
    expect((await stage.published(topics.problemsNormalized)).map((record) => record.key)).toEqual([id(1)]);
    const rejected = (await stage.published(topics.problemsStatus)).filter(
      ({ value }) => value?.outcome === StageOutcome.REJECTED,
    );
    expect(new Map(rejected.map(({ value }) => [value?.problemId, value?.reason]))).toEqual(
      new Map([
        [id(2), 'no_tests_and_no_reference'],
        [id(3), 'empty_statement'],
      ]),
    );
    expect(await stage.published(topics.problemsWithdrawn)).toEqual([]);
  });

  it('takes the version before it along when a new version is rejected', async () => {
    await stage.publish(topics.problemsRaw, raw(id(1), 1, 'A', asserts('x')));
    await stage.untilQuiet();
    await stage.publish(topics.problemsRaw, raw(id(1), 2, 'A'));
    await stage.untilQuiet();
    const [withdrawn] = await stage.published(topics.problemsWithdrawn);
    expect(withdrawn?.value).toMatchObject({ problemId: id(1), version: 2, reason: 'no_tests_and_no_reference' });
  });

  it('comes back when the version that was withdrawn passes after all', async () => {
    await stage.publish(topics.problemsRaw, raw(id(1), 1, 'A', asserts('x')));
    await stage.untilQuiet();
    await stage.publish(topics.problemsRaw, raw(id(1), 2, 'A'));
    await stage.untilQuiet();
    // As after a release that repairs what had cleaned the tests away: the same version comes again, and passes.
    await stage.publish(topics.problemsRaw, { ...raw(id(1), 2, 'A', asserts('x')), revision: 3n });
    await stage.untilQuiet();
    const withdrawals = (await stage.published(topics.problemsWithdrawn)).map(({ value }) => value);
    expect(withdrawals).toMatchObject([
      { version: 2, takenBack: false },
      { version: 2, takenBack: true, reason: 'passes_again' },
    ]);
    expect((await stage.published(topics.problemsNormalized)).at(-1)?.value?.version).toBe(2);
  });

  it('waits while its producer has it withdrawn, whichever of its return and its text comes first', async () => {
    const withdrawn = (problemId: string, stageOf: Stage, takenBack: boolean) =>
      create(ProblemWithdrawnSchema, { problemId, version: 1, stage: stageOf, takenBack });
    const passed = async () => (await stage.published(topics.problemsNormalized)).map(({ key }) => key).sort();
    await stage.publish(
      topics.problemsWithdrawn,
      withdrawn(id(1), Stage.INGEST, false),
      withdrawn(id(2), Stage.INGEST, false),
      withdrawn(id(2), Stage.GATEWAY, false),
      // What a stage behind this one withdraws does not hold it up.
      withdrawn(id(3), Stage.DEDUP, false),
    );
    await stage.untilQuiet();
    await stage.publish(topics.problemsRaw, ...[1, 2, 3].map((n) => raw(id(n), 1, 'A', asserts('x'))));
    await stage.untilQuiet();
    expect(await passed()).toEqual([id(3)]);
    await stage.publish(
      topics.problemsWithdrawn,
      withdrawn(id(1), Stage.INGEST, true),
      withdrawn(id(2), Stage.INGEST, true),
    );
    await stage.untilQuiet();
    expect(await passed()).toEqual([id(1), id(3)]);
    await stage.publishTombstone(topics.problemsWithdrawn, `${id(2)}:GATEWAY`);
    await stage.untilQuiet();
    expect(await passed()).toEqual([id(1), id(2), id(3)]);
    // Ingest passes the text on again when it takes a withdrawal back: then it is said again, with a higher revision.
    await stage.publish(topics.problemsRaw, raw(id(1), 1, 'A', asserts('x')));
    await stage.untilQuiet();
    expect((await stage.published(topics.problemsNormalized)).filter(({ key }) => key === id(1))).toHaveLength(2);
  });

  it('has solutions and a checker with line ends that no language minds', async () => {
    const suite = create(TestSuiteSchema, {
      form: TestForm.STDIN,
      tests: [{ name: '1', body: { case: 'stdin', value: { input: new Uint8Array(), expected: new Uint8Array() } } }],
      checker: { kind: CheckerKind.PROGRAM, language: 'python', program: payloadOf('def check():\r\n    pass\r\n') },
    });
    await stage.publish(topics.problemsRaw, raw(id(1), 1, 'A', suite, 'def f():\r\n    return """a\rb"""\r\n'));
    await stage.untilQuiet();
    const content = (await stage.published(topics.problemsNormalized))[0]?.value?.content;
    const text = (payload: Payload | undefined) => new TextDecoder().decode(payload?.inline);
    expect(text(content?.solutions[0]?.source)).toBe('def f():\n    return """a\nb"""\n');
    const clean = fromBinary(TestSuiteSchema, content?.testSuite?.inline ?? new Uint8Array());
    expect(text(clean.checker?.program)).toBe('def check():\n    pass\n');
  });

  it('is ignored when a higher version is known', async () => {
    await stage.publish(topics.problemsRaw, raw(id(1), 2, 'A', asserts('x')));
    await stage.untilQuiet();
    await stage.publish(topics.problemsRaw, raw(id(1), 1, 'Old', asserts('x')));
    await stage.untilQuiet();
    expect((await stage.published(topics.problemsNormalized)).map((record) => record.value?.version)).toEqual([2]);
  });

  it('has the identity of another that differs in layout alone', async () => {
    await stage.publish(
      topics.problemsRaw,
      raw(id(1), 1, 'Given n, print n*n.', asserts('a', 'b')),
      raw(id(2), 1, ' given N,\n\nprint n * n.', asserts('b', 'a')),
    );
    await stage.untilQuiet();
    const [first, second] = (await stage.published(topics.problemsNormalized)).map((record) => record.value);
    expect(first?.identitySha256).toBe(second?.identitySha256);
    expect(first?.statementSha256).toBe(second?.statementSha256);
  });
});

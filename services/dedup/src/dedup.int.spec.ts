import { create, toBinary } from '@bufbuild/protobuf';
import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import { topics } from '@tidemark/event-log';
import { sha256Hex } from '@tidemark/identity';
import {
  BenchmarkChangedSchema,
  BenchmarkSetSchema,
  ProblemNormalizedSchema,
  ProblemStatusSchema,
  ProblemWithdrawnSchema,
  Split,
  Stage,
  StageOutcome,
} from '@tidemark/proto';
import { type StageHarness, startStage } from '@tidemark/stage-runtime/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { dedupService } from './index.ts';

let stage: StageHarness;
const start = async (config: Record<string, string> = { heldOutShare: '0' }) => {
  stage = await startStage(dedupService, { config });
};
afterEach(() => stage.stop());

const id = (letter: string) => letter.repeat(32);

function payloadOf(content: Uint8Array | string) {
  const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content;
  return { sha256: sha256Hex(bytes), sizeBytes: BigInt(bytes.length), inline: bytes };
}

interface Given {
  readonly version?: number;
  /** Equal for exact duplicates. */
  readonly identity?: string;
  readonly statement?: string;
  readonly day?: number;
}

function normalized(
  letter: string,
  { version = 1, identity = letter, statement = `Statement ${identity}.`, day }: Given = {},
) {
  return create(ProblemNormalizedSchema, {
    problemId: id(letter),
    version,
    origin: {
      namespace: 'own',
      recordId: letter,
      ...(day === undefined ? {} : { publishedAt: timestampFromMs(Date.UTC(2025, 0, day)) }),
    },
    content: { statement: payloadOf(statement), testCount: 1 },
    statementSha256: sha256Hex(statement),
    identitySha256: sha256Hex(identity),
  });
}

function benchmark(version: number, ...statements: string[]) {
  const set = create(BenchmarkSetSchema, {
    problems: statements.map((statement, i) => ({ id: `b${i + 1}`, statement })),
  });
  return create(BenchmarkChangedSchema, {
    benchmark: 'exam',
    version,
    ...(statements.length === 0 ? {} : { content: payloadOf(toBinary(BenchmarkSetSchema, set)) }),
  });
}

const executeSays = (letter: string, outcome: StageOutcome, version = 1) =>
  create(ProblemStatusSchema, { problemId: id(letter), version, stage: Stage.EXECUTE, outcome });

const withdraws = (letter: string, takenBack = false) =>
  create(ProblemWithdrawnSchema, { problemId: id(letter), version: 1, stage: Stage.INGEST, takenBack });

async function say(...messages: ReturnType<typeof normalized>[]): Promise<void> {
  await stage.publish(topics.problemsNormalized, ...messages);
  await stage.untilQuiet();
}

/** Where every problem stands by what was published: the newest record of each kind. */
async function standings(): Promise<Record<string, string>> {
  const newest = <T extends { revision: bigint; problemId: string }>(records: readonly { value: T | undefined }[]) => {
    const found = new Map<string, T>();
    for (const { value } of records) {
      if (value && value.revision > (found.get(value.problemId)?.revision ?? 0n)) found.set(value.problemId, value);
    }
    return found;
  };
  const own = <T extends { stage: Stage }>(records: { value: T | undefined }[]) =>
    records.filter(({ value }) => value?.stage === Stage.DEDUP);
  const unique = newest(await stage.published(topics.problemsUnique));
  const withdrawn = newest(own(await stage.published(topics.problemsWithdrawn)));
  const statuses = newest(own(await stage.published(topics.problemsStatus)));
  return Object.fromEntries(
    [...statuses.values()]
      .map((status): [string, string] => {
        const record = unique.get(status.problemId);
        const out = withdrawn.get(status.problemId);
        const inForce = record !== undefined && (out === undefined || out.takenBack || out.version < record.version);
        return [status.problemId[0] ?? '', inForce ? `unique ${record.version}` : status.reason];
      })
      .sort(),
  );
}

const words = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => `word${from + i}`).join(' ');

describe('exact duplicates', () => {
  it('are represented by the earliest, whichever comes first', async () => {
    await start();
    await say(normalized('b', { identity: 'x', day: 2 }));
    expect(await standings()).toEqual({ b: 'unique 1' });
    await say(normalized('a', { identity: 'x', day: 3 }), normalized('c', { identity: 'x', day: 1 }), normalized('d'));
    expect(await standings()).toEqual({ a: 'exact_duplicate', b: 'exact_duplicate', c: 'unique 1', d: 'unique 1' });
    const withdrawn = (await stage.published(topics.problemsWithdrawn)).map((record) => record.value);
    expect(withdrawn).toMatchObject([
      { problemId: id('b'), version: 1, reason: 'exact_duplicate', successorId: id('c') },
    ]);
    const record = (await stage.published(topics.problemsUnique)).findLast(({ key }) => key === id('c'));
    expect(record?.value).toMatchObject({ founderId: id('c'), clusterId: id('c'), clusterSize: 3, split: Split.TRAIN });
  });

  it('are represented by the next when execute rejects the first, and by the first again when it passes', async () => {
    await start();
    await say(
      normalized('a', { identity: 'x' }),
      normalized('b', { identity: 'x' }),
      normalized('c', { identity: 'x' }),
    );
    await stage.publish(topics.problemsStatus, executeSays('a', StageOutcome.REJECTED));
    await stage.untilQuiet();
    expect(await standings()).toMatchObject({ b: 'unique 1', c: 'exact_duplicate' });
    await stage.publish(topics.problemsStatus, executeSays('b', StageOutcome.REJECTED));
    await stage.untilQuiet();
    expect(await standings()).toMatchObject({ c: 'unique 1' });
    await stage.publish(topics.problemsStatus, executeSays('a', StageOutcome.PASSED));
    await stage.untilQuiet();
    expect(await standings()).toEqual({ a: 'unique 1', b: 'unique 1', c: 'exact_duplicate' });
  });

  it('are represented by the next when the first is withdrawn, also before it is known', async () => {
    await start();
    await stage.publish(topics.problemsWithdrawn, withdraws('a'));
    await stage.untilQuiet();
    await say(normalized('a', { identity: 'x' }), normalized('b', { identity: 'x' }));
    expect(await standings()).toEqual({ b: 'unique 1' });
    await stage.publish(topics.problemsWithdrawn, withdraws('a', true));
    await stage.untilQuiet();
    expect(await standings()).toEqual({ a: 'unique 1', b: 'exact_duplicate' });
  });

  it('leave a cluster with a new version, and the next represents there', async () => {
    await start();
    await say(normalized('a', { identity: 'x' }), normalized('b', { identity: 'x' }), normalized('c'));
    await say(normalized('a', { version: 2, identity: 'c' }));
    expect(await standings()).toEqual({ a: 'unique 2', b: 'unique 1', c: 'exact_duplicate' });
    await say(normalized('a', { version: 1, identity: 'x' }));
    expect(await standings()).toEqual({ a: 'unique 2', b: 'unique 1', c: 'exact_duplicate' });
  });

  it('are told in the status whenever they come', async () => {
    await start();
    await say(normalized('a', { identity: 'x', day: 1 }));
    expect(await messageOf('a')).toBe('No other problem is like it.');
    await say(normalized('b', { identity: 'x', day: 2 }));
    expect(await messageOf('a')).toBe('Represents 1 exact duplicate.');
    await say(normalized('b', { version: 2 }));
    expect(await messageOf('a')).toBe('No other problem is like it.');
  });
});

const lastOf = async (letter: string) =>
  (await stage.published(topics.problemsUnique)).findLast(({ key }) => key === id(letter))?.value;
const statusOf = async (letter: string) =>
  (await stage.published(topics.problemsStatus)).findLast(({ key }) => key === `${id(letter)}:DEDUP`)?.value;
const messageOf = async (letter: string) => (await statusOf(letter))?.message;

describe('problems whose statement alone is equal', () => {
  const same = (letter: string, given: Given = {}) => normalized(letter, { statement: 'Same.', ...given });

  it('are flagged on record and status, whichever comes first', async () => {
    await start();
    for (const letter of ['b', 'a', 'c']) await say(same(letter));
    expect(await standings()).toEqual({ a: 'unique 1', b: 'unique 1', c: 'unique 1' });
    for (const [letter, others] of [
      ['a', ['b', 'c']],
      ['b', ['a', 'c']],
      ['c', ['a', 'b']],
    ] as const) {
      expect((await lastOf(letter))?.equalStatements).toEqual(others.map(id));
      const status = await statusOf(letter);
      expect(status?.message).toBe('Unique by its tests; others have the same statement.');
      expect(status?.evidence.map(({ subjectId }) => subjectId)).toEqual(others.map(id));
    }
    await say(same('a', { version: 2, statement: 'Other.' }), same('c', { version: 2, statement: 'Another.' }));
    expect((await lastOf('b'))?.equalStatements).toEqual([]);
    expect(await messageOf('b')).toBe('No other problem is like it.');
  });

  it('name twenty others at most, and are not all said again for one that nobody names', async () => {
    await start();
    const letters = Array.from('0123456789abcdefghijklmn');
    for (const letter of letters) await say(same(letter));
    expect((await lastOf('0'))?.equalStatements).toEqual(letters.slice(1, 21).map(id));
    const records = (await stage.published(topics.problemsUnique)).length;
    await say(same('z'));
    expect((await stage.published(topics.problemsUnique)).length).toBe(records + 1);
  }, 120_000);

  it('are on one side of the exam, and leave it together when a trainer saw one', async () => {
    await start({ heldOutShare: '0.5' });
    const pairs = ['ab', 'cd', 'ef', 'gh', 'ij', 'kl'];
    await say(
      ...pairs.flatMap(([x = '', y = '']) => [x, y].map((one) => normalized(one, { statement: `Same ${x}.` }))),
    );
    const sides = new Set<Split | undefined>();
    for (const [x = '', y = ''] of pairs) {
      const side = (await lastOf(x))?.split;
      sides.add(side);
      expect((await lastOf(y))?.split).toBe(side);
    }
    expect(sides).toEqual(new Set([Split.TRAIN, Split.HELD_OUT]));
    const out = pairs.map(([x = '']) => x);
    for (const letter of out) {
      if ((await lastOf(letter))?.split !== Split.HELD_OUT) continue;
      await say(normalized('z', { version: 1, statement: 'Elsewhere.' }));
      await stage.query('UPDATE problems SET seen_as_train = true WHERE problem_id = $1', [id('z')]);
      await say(normalized('z', { version: 2, statement: `Same ${letter}.` }));
      const other = pairs.find((pair) => pair.startsWith(letter))?.[1] ?? '';
      expect([(await lastOf(letter))?.split, (await lastOf(other))?.split]).toEqual([Split.TRAIN, Split.TRAIN]);
      return;
    }
  });
});

describe('benchmarks', () => {
  it('keep out what holds more than the threshold of one of their problems', async () => {
    await start();
    await stage.publish(topics.benchmarksChanged, benchmark(1, words(0, 40), 'Add two numbers.'));
    await stage.untilQuiet();
    await say(
      normalized('a', { statement: `${words(100, 130)} ${words(0, 40)} ${words(200, 220)}` }),
      normalized('b', { statement: words(300, 340) }),
      normalized('c', { statement: 'add two numbers' }),
      normalized('d', { statement: `${words(500, 560)} ${words(0, 18)}` }),
    );
    expect(await standings()).toEqual({ a: 'contaminated', b: 'unique 1', c: 'contaminated', d: 'unique 1' });
    const status = (await stage.published(topics.problemsStatus)).find(({ key }) => key.startsWith(id('a')))?.value;
    expect(status?.evidence).toMatchObject([{ kind: 'benchmark_overlap', subjectId: 'exam/b1', value: 1 }]);
    const unique = (await stage.published(topics.problemsUnique)).find(({ key }) => key === id('b'))?.value;
    expect(unique?.checkedBenchmarks).toEqual({ exam: 1 });
  });

  it('are named with the version that a problem was checked against, whoever has its record said again', async () => {
    await start();
    await stage.publish(topics.benchmarksChanged, benchmark(1, words(0, 40)));
    await stage.untilQuiet();
    await say(normalized('a', { identity: 'x', day: 1 }), normalized('b', { identity: 'x', day: 2 }));
    // As between the change of a set and the check that follows it.
    await stage.query('UPDATE benchmarks SET version = 7');
    await stage.publish(topics.problemsStatus, executeSays('a', StageOutcome.REJECTED));
    await stage.untilQuiet();
    expect((await lastOf('b'))?.checkedBenchmarks).toEqual({ exam: 1 });
  });

  it('are checked again by every problem when they change', async () => {
    await start();
    await say(normalized('a', { statement: words(0, 40) }), normalized('b', { statement: words(100, 140) }));
    expect(await standings()).toEqual({ a: 'unique 1', b: 'unique 1' });
    await stage.publish(topics.benchmarksChanged, benchmark(1, words(0, 40)));
    await stage.untilQuiet();
    expect(await standings()).toEqual({ a: 'contaminated', b: 'unique 1' });
    await stage.publish(topics.benchmarksChanged, benchmark(2, words(100, 140)));
    await stage.untilQuiet();
    expect(await standings()).toEqual({ a: 'unique 1', b: 'contaminated' });
    await stage.publish(topics.benchmarksChanged, benchmark(3));
    await stage.untilQuiet();
    expect(await standings()).toEqual({ a: 'unique 1', b: 'unique 1' });
  });
});

describe('the exam', () => {
  const splitOf = async (letter: string) =>
    (await stage.published(topics.problemsUnique)).findLast(({ key }) => key === id(letter))?.value?.split;

  it('keeps all at share 1, and loses what trainers have seen', async () => {
    await start({ heldOutShare: '1' });
    await say(normalized('a'), normalized('b', { identity: 'x' }));
    expect(await splitOf('a')).toBe(Split.HELD_OUT);
    await stage.query(`UPDATE problems SET seen_as_train = true WHERE problem_id = $1`, [id('a')]);
    await say(normalized('a', { version: 2, identity: 'x' }));
    expect(await splitOf('a')).toBe(Split.TRAIN);
    expect(await standings()).toEqual({ a: 'unique 2', b: 'exact_duplicate' });
  });
});

it('ends in the same standings however it is killed and in whatever order problems come', async () => {
  await start();
  const letters = ['a', 'b', 'c', 'd', 'e', 'f'];
  const all = letters.flatMap((letter, i) => [normalized(letter, { identity: i % 2 === 0 ? 'x' : 'y', day: 10 - i })]);
  await stage.publish(topics.problemsNormalized, ...all.slice(0, 3));
  await stage.kill();
  await stage.restart();
  await stage.publish(topics.problemsNormalized, ...all.slice(3).reverse());
  await stage.untilQuiet();
  expect(await standings()).toEqual({
    a: 'exact_duplicate',
    b: 'exact_duplicate',
    c: 'exact_duplicate',
    d: 'exact_duplicate',
    e: 'unique 1',
    f: 'unique 1',
  });
});

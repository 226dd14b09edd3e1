import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SpotEvent, SpotOptions } from './events.ts';
import { judgeOnTheSpot } from './judge-on-the-spot.ts';

const SUM = 'print(sum(map(int, input().split())))\n';
let root: string;
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'tidemark-spot-'));
  const files: Readonly<Record<string, string>> = {
    'sum/problem.yaml': 'name: Sum\nlimits:\n  time_limit: 2\n',
    'sum/statement/problem.en.md': 'Add.',
    'sum/data/sample/1.in': '1 2\n',
    'sum/data/sample/1.ans': '3\n',
    'sum/data/secret/big.in': '40 2\n',
    'sum/data/secret/big.ans': '42\n',
    'sum/submissions/accepted/sum.py': SUM,
    'sum/submissions/accepted/sum.scala': '',
    'sum/submissions/wrong_answer/three.py': 'print(3)\n',
    'sum/submissions/wrong_answer/right.py': SUM,
    'sum/submissions/run_time_error/raise.py': 'raise SystemExit(3)\n',
    'three.py': 'print(3)\n',
    'sum.py': SUM,
    'records.jsonl': [
      { id: 'a', tests: { form: 'call', cases: [{ args: [2], expected: 4 }] }, entry_point: 'twice' },
      { id: 'b', tests: { form: 'stdin', cases: [{ input: '1 2' }] }, references: [{ code: SUM }] },
      { id: 'c' },
    ]
      .map((row) => JSON.stringify({ format: 'tidemark.problem.v1', statement: 'x', ...row }))
      .join('\n'),
    'twice.py': 'def twice(x): return 2 * x\n',
  };
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  }
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

const judged = async (problem: string, programs: string[], options: Partial<SpotOptions> = {}) => {
  const events: SpotEvent[] = [];
  const paths = programs.map((path) => join(root, path));
  for await (const event of judgeOnTheSpot({ problem: join(root, problem), programs: paths, ...options })) {
    events.push(event);
  }
  const last = (event: SpotEvent) => event.kind === 'submission';
  return { head: events[0], tests: events.filter(({ kind }) => kind === 'test'), ended: events.filter(last) };
};

describe('judging on the spot', () => {
  it('says what each test of a package gave', async () => {
    const { head, tests, ended } = await judged('sum', ['three.py', 'sum.py']);
    expect(head).toMatchObject({ title: 'Sum', tests: 2, cpu_ms: 2_000, limit: 'stated' });
    expect(tests.map((event) => event.kind === 'test' && [event.test, event.verdict])).toEqual([
      ['sample/1', 'accepted'],
      ['secret/big', 'wrong_answer'],
      ['sample/1', 'accepted'],
      ['secret/big', 'accepted'],
    ]);
    expect(tests[1]).toMatchObject({ detail: 'token 1 is "3"', expected: '"42"' });
    expect(ended).toMatchObject([
      { verdict: 'wrong_answer', test: 'secret/big', tests_passed: 1, as_wanted: false },
      { verdict: 'accepted', tests_passed: 2, as_wanted: true },
    ]);
  });

  it("holds a package's own programs against their labels", async () => {
    const { ended } = await judged('sum', [], { stopAtFirst: true });
    const told = ended.map(
      (event) =>
        event.kind === 'submission' && [event.submission.split('/').slice(1).join('/'), event.as_wanted, event.waits],
    );
    expect(told).toEqual([
      ['accepted/sum.py', true, false],
      ['accepted/sum.scala', false, true],
      ['run_time_error/raise.py', true, false],
      ['wrong_answer/right.py', false, false],
      ['wrong_answer/three.py', true, false],
    ]);
  });

  it('takes a record of a file, and makes outputs that are missing by its reference', async () => {
    expect((await judged('records.jsonl', ['twice.py'], { id: 'a' })).ended).toMatchObject([{ verdict: 'accepted' }]);
    expect((await judged('records.jsonl', ['sum.py', 'three.py'], { id: 'line:2' })).ended).toMatchObject([
      { verdict: 'accepted' },
      { verdict: 'accepted' },
    ]);
  });

  it.each<[string, string, string[], Partial<SpotOptions>, RegExp]>([
    ['no record is named', 'records.jsonl', ['sum.py'], {}, /holds 3 records: name one by --id/],
    ['no such record is there', 'records.jsonl', ['sum.py'], { id: 'z' }, /holds no record z/],
    ['there are no tests', 'records.jsonl', ['sum.py'], { id: 'c' }, /has no tests/],
    ['there is no program', 'records.jsonl', [], { id: 'a' }, /no program was given/],
    ['it is no problem', 'sum.py', ['sum.py'], {}, /is not JSON/],
    ['it is a folder of something else', 'sum/data', ['sum.py'], {}, /no problem package/],
  ])('says so where %s', async (_what, problem, programs, options, message) => {
    await expect(judged(problem, programs, options)).rejects.toThrow(message);
  });
});

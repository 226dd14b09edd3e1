import { readFileSync } from 'node:fs';
import { deflateSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { sharedFile } from '../testing/shared.ts';
import { parseProblem } from './parse-problem.ts';

const base64 = (bytes: Uint8Array | string) => Buffer.from(bytes as string).toString('base64');
/** A pickle of `{"input_output": text}`, as Python's protocol 4 writes it. */
const pickled = (text: string) => {
  const body = Buffer.from(text);
  const length = Buffer.alloc(4);
  length.writeUInt32LE(body.length);
  return Buffer.concat([
    Buffer.from('\x80\x04}\x94\x8c\x0cinput_output\x94X', 'latin1'),
    length,
    body,
    Buffer.from('\x94s.', 'latin1'),
  ]);
};
const packed = (tests: object) => base64(deflateSync(pickled(JSON.stringify(tests))));
const row = (changed: object) =>
  JSON.stringify({ id: 7, content: 'Add.', labels: '{"category":"x","difficulty":"easy"}', ...changed });
const live = (test: string) => row({ test, canonical_solution: 'import sys; sys.exit(0)' });

describe('rows of LiveCodeBench', () => {
  it('hold programs by standard input', () => {
    expect(parseProblem(live(packed({ inputs: ['1 2'], outputs: ['3'], fn_name: null })))).toMatchObject({
      kind: 'problem',
      record: {
        namespace: 'livecodebench',
        recordId: '7',
        taskKind: 'program',
        references: [],
        origin: { platform: 'x', difficultyLabel: 'easy' },
        tests: { form: 'stdin', cases: [{ input: '1 2', expected: '3', example: false }] },
      },
    });
  });

  it('hold functions, whose numbers stay as they were written', () => {
    const tests = { inputs: ['[1, 12345678901234567890]\n"a"'], outputs: ['1.50'], fn_name: 'f' };
    expect(parseProblem(live(packed(tests)))).toMatchObject({
      record: {
        entryPoint: 'f',
        taskKind: 'function',
        tests: { form: 'call', cases: [{ arguments: ['[1, 12345678901234567890]', '"a"'], expected: '1.50' }] },
      },
    });
  });

  it.each<[string, string, string]>([
    ['a pickle that runs code', base64(deflateSync(Buffer.from('cposix\ngetcwd\n(tR.'))), 'unsupported'],
    ['a pickle that is cut short', base64(deflateSync(pickled('{}').subarray(0, 30))), 'bad_value'],
    ['no pickle', base64(deflateSync('nothing')), 'unsupported'],
    ['no zlib', base64('nothing'), 'bad_value'],
    ['a zlib stream cut short', base64(deflateSync('x'.repeat(9_999)).subarray(0, 20)), 'bad_value'],
    ['no base64', '***', 'bad_value'],
    ['a bomb', base64(deflateSync(Buffer.alloc(64 * 2 ** 20))), 'bad_value'],
    ['fewer outputs', packed({ inputs: ['1'], outputs: [] }), 'bad_value'],
    ['arguments that are no JSON', packed({ inputs: ['[1'], outputs: ['1'], fn_name: 'f' }), 'bad_value'],
  ])('with %s are refused', (_what, test, code) => {
    expect(parseProblem(live(test))).toMatchObject({ kind: 'faulty', recordId: '7', faults: [{ code }] });
  });
});

describe('rows of CodeContests', () => {
  it('hold programs by standard input', () => {
    const test = JSON.stringify([{ input: { stdin: '1' }, output: { stdout: '2' } }]);
    expect(parseProblem(row({ test }))).toMatchObject({
      record: { format: 'code_contests', tests: { cases: [{ input: '1', expected: '2' }] } },
    });
    expect(parseProblem(row({ test: '[{"input": {}}]' }))).toMatchObject({
      kind: 'faulty',
      faults: [{ code: 'missing_field', field: 'test[0]' }],
    });
    expect(parseProblem(row({ test: 'x' }))).toMatchObject({
      kind: 'faulty',
      faults: [{ code: 'wrong_type', field: 'test' }],
    });
  });
});

describe('rows of NeMo Gym', () => {
  const gym = (inputs: string[], outputs: string[]) =>
    JSON.stringify({
      hash_id: 'h',
      responses_create_params: { input: [{ role: 'user', content: 'Add.' }] },
      verifier_metadata: { unit_tests: { inputs, outputs } },
    });
  it('hold programs by standard input', () => {
    expect(parseProblem(gym(['1'], ['2']))).toMatchObject({
      record: { recordId: 'h', statement: 'Add.', tests: { form: 'stdin', cases: [{ expected: '2' }] } },
    });
    expect(parseProblem(gym(['1'], []))).toMatchObject({ kind: 'faulty', faults: [{ code: 'contradiction' }] });
  });
});

describe('published rows', () => {
  it.each([
    ['livecodebench/sandbox-samples.jsonl', 'livecodebench', 3],
    ['code-contests-samples/code_eval_code_contests.jsonl', 'code_contests', 20],
    ['nemo-gym/example.jsonl', 'nemo_gym', 5],
  ] as const)('of %s are read whole', (path, format, count) => {
    const file = sharedFile(`data/${path}`);
    if (file === undefined) return;
    const parsed = readFileSync(file, 'utf8')
      .split('\n')
      .filter(Boolean)
      .map((line) => parseProblem(line));
    expect(parsed).toHaveLength(count);
    for (const one of parsed) {
      expect(one).toMatchObject({ kind: 'problem', record: { format, references: [] }, warnings: [] });
      expect(one.kind === 'problem' && one.record.tests?.cases.length).toBeGreaterThan(0);
    }
  });
});

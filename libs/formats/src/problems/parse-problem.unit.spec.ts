import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ParsedProblem, parseProblem } from './parse-problem.ts';

const minimal = { format: 'tidemark.problem.v1', namespace: 'own', id: 'a', statement: 'Print 1.' };

function faultsOf(parsed: ParsedProblem): Record<string, string> {
  if (parsed.kind === 'problem') throw new Error('expected faults');
  return Object.fromEntries(parsed.faults.map((fault) => [fault.field, fault.code]));
}

function recordOf(source: Uint8Array | string | object, format = '') {
  const text = typeof source === 'string' || source instanceof Uint8Array ? source : JSON.stringify(source);
  const parsed = parseProblem(text, format);
  if (parsed.kind === 'faulty') throw new Error(JSON.stringify(parsed.faults));
  return parsed;
}

describe('tidemark.problem.v1', () => {
  it('reads the example of docs/formats.md', () => {
    const { record, warnings } = recordOf({
      format: 'tidemark.problem.v1',
      namespace: 'acme-contest',
      id: 'sum-1',
      title: 'Sum of two',
      statement: 'Read two integers and print their **sum**.',
      kind: 'program',
      language: 'python',
      origin: { kind: 'real', platform: 'acme', difficulty_label: 'easy', url: 'https://example.org/sum' },
      licence: 'CC-BY-4.0',
      dates: { published: '2025-03-01' },
      facets: { topic: 'arithmetic' },
      tests: {
        form: 'stdin',
        cases: [
          { input: '1 2\n', expected: '3\n', example: true },
          { input: '40 2\n', expected: '42\n' },
        ],
      },
      checker: { kind: 'tokens' },
      references: [{ language: 'python', code: 'print(sum(map(int, input().split())))\n' }],
      limits: { cpu_ms: 2000, memory_bytes: 268435456 },
    });
    expect(warnings).toEqual([]);
    expect(record).toMatchObject({
      namespace: 'acme-contest',
      recordId: 'sum-1',
      taskKind: 'program',
      origin: { kind: 'real', licence: 'CC-BY-4.0', publishedAt: '2025-03-01T00:00:00.000Z', platform: 'acme' },
      tests: { form: 'stdin', checker: { kind: 'tokens' } },
      limits: { cpuTimeMs: 2000, memoryBytes: 268435456, wallTimeMs: undefined },
    });
    expect(record.tests?.cases).toEqual([
      { input: '1 2\n', expected: '3\n', example: true },
      { input: '40 2\n', expected: '42\n', example: false },
    ]);
  });

  it('keeps every number of a test value as it was written', () => {
    const numbers = ['12345678901234567890', '1.0', '-0', '1e400', '0.1000000000000000055511151231257827', '1E+2'];
    const { record } = recordOf(
      `{"format":"tidemark.problem.v1","namespace":"n","id":1,"statement":"s","entry_point":"f",` +
        `"tests":{"form":"call","cases":[{"args":[${numbers.join(',')}],"kwargs":{"key":1.50},"expected":{"2":1.0, "1":[9007199254740993]}}]}}`,
    );
    expect(record.tests?.cases[0]).toEqual({
      arguments: numbers,
      namedArguments: { key: '1.50' },
      expected: '{"2":1.0, "1":[9007199254740993]}',
      inPlace: undefined,
      example: false,
    });
    expect(record.recordId).toBe('1');
  });

  it('reports all faults of a record at once, each with its field', () => {
    const parsed = parseProblem(
      JSON.stringify({
        format: 'tidemark.problem.v1',
        namespace: 'own',
        id: 'a',
        kind: 'poem',
        dates: { published: '2025-02-31' },
        limits: { cpu_ms: 0 },
        tests: { form: 'stdin', cases: [{ input: 3 }, { expected: 'x' }] },
        references: [{ language: 'python' }],
      }),
    );
    expect(faultsOf(parsed)).toEqual({
      statement: 'missing_field',
      kind: 'bad_value',
      'dates.published': 'bad_value',
      'limits.cpu_ms': 'bad_value',
      'tests.cases[0].input': 'wrong_type',
      'tests.cases[1].input': 'missing_field',
      'references[0].code': 'missing_field',
    });
  });

  it('says what a field has to be, and what to do', () => {
    const parsed = parseProblem(JSON.stringify({ ...minimal, statement: 7, kind: 'poem' }));
    if (parsed.kind === 'problem') throw new Error('expected faults');
    expect(parsed.faults).toEqual([
      {
        code: 'wrong_type',
        field: 'statement',
        reason: 'has to be text, not a number',
        advice: 'statement holds the task in Markdown',
      },
      {
        code: 'bad_value',
        field: 'kind',
        reason: 'has to be one of program, function, class, repair, translation, multi_file',
        advice: 'kind holds program, function, class, repair, translation or multi_file',
      },
    ]);
  });

  it('drops unknown fields with a warning, a member called __proto__ among them', () => {
    const parsed = recordOf(
      `{"__proto__":{"admin":true},"constructor":{},"extra":1,${JSON.stringify(minimal).slice(1)}`,
    );
    expect(parsed.warnings.map((warning) => warning.field)).toEqual(['__proto__', 'constructor', 'extra']);
    expect(({} as { admin?: boolean }).admin).toBeUndefined();
  });

  it.each([
    [
      'call tests without an entry point',
      { tests: { form: 'call', cases: [{ args: [], expected: 1 }] } },
      { entry_point: 'missing_field' },
    ],
    [
      'a text checker on call tests',
      { entry_point: 'f', checker: { kind: 'lines' }, tests: { form: 'call', cases: [] } },
      { 'checker.kind': 'contradiction' },
    ],
    [
      'a checker program on call tests',
      {
        entry_point: 'f',
        checker: { kind: 'program', code: 'def check(input, output, expected): return True' },
        tests: { form: 'call', cases: [] },
      },
      { 'checker.kind': 'contradiction' },
    ],
    [
      'a checker beside assert tests',
      { checker: { kind: 'tokens' }, tests: { form: 'assert', cases: [] } },
      { checker: 'contradiction' },
    ],
    [
      'an argument that is not there',
      { entry_point: 'f', tests: { form: 'call', cases: [{ args: [1], in_place: 1 }] } },
      { 'tests.cases[0].in_place': 'contradiction' },
    ],
    ['an unknown form of tests', { tests: { form: 'magic', cases: [] } }, { 'tests.form': 'bad_value' }],
    ['no form of tests', { tests: { cases: [] } }, { 'tests.form': 'missing_field' }],
    [
      'arguments that are no list',
      { entry_point: 'f', tests: { form: 'call', cases: [{ args: 3 }] } },
      { 'tests.cases[0].args': 'bad_value' },
    ],
    [
      'an expected output that is no text',
      { tests: { form: 'stdin', cases: [{ input: '', expected: 3 }] } },
      { 'tests.cases[0].expected': 'bad_value' },
    ],
    ['a facet that is not in snake_case', { facets: { 'Big Topic': 'x' } }, { 'facets.Big Topic': 'bad_value' }],
    ['too large a statement', { statement: 'x'.repeat(256 * 1024 + 1) }, { statement: 'too_large' }],
  ])('refuses %s', (_, fields, faults) => {
    expect(faultsOf(parseProblem(JSON.stringify({ ...minimal, ...fields })))).toEqual(faults);
  });

  it('takes namespace, origin kind and licence of the submission where the record names none', () => {
    const parsed = parseProblem('{"statement":"s","id":"x"}', 'tidemark', {
      namespace: 'mine',
      originKind: 'synthetic',
      licence: 'MIT',
    });
    expect(parsed).toMatchObject({
      kind: 'problem',
      record: { namespace: 'mine', origin: { kind: 'synthetic', licence: 'MIT' } },
    });
    expect(faultsOf(parseProblem('{"statement":"s","id":"x"}', 'tidemark'))).toEqual({ namespace: 'missing_field' });
  });

  it('takes an empty list of cases for no tests', () => {
    expect(recordOf({ ...minimal, tests: { form: 'stdin', cases: [] } }).record.tests).toBeUndefined();
  });
});

describe('any format', () => {
  it.each([
    ['bytes that are not UTF-8', new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x7d]), 'invalid_utf8'],
    ['text that is not JSON', '{"a":1,}', 'invalid_json'],
    ['a list', '[1]', 'invalid_json'],
    ['nothing', '', 'invalid_json'],
    [
      'a key that stands twice',
      '{"format":"tidemark.problem.v1","tests":{"form":"stdin","form":"call"}}',
      'duplicate_key',
    ],
    ['an escaped key that stands twice', '{"a":1,"\\u0061":2}', 'duplicate_key'],
    ['a NUL', '{"statement":"a\\u0000b"}', 'bad_character'],
    ['a NUL in a key', '{"a\\u0000":1}', 'bad_character'],
    ['half of a surrogate pair', '{"statement":"\\ud83d"}', 'bad_character'],
    ['deep nesting', `{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`, 'too_deep'],
    ['an unknown format by name', '{"format":"kattis"}', 'unknown_format'],
    ['fields of no known format', '{"question":"?"}', 'unknown_format'],
  ])('refuses %s', (_, source, code) => {
    const parsed = parseProblem(source);
    expect(parsed.kind === 'faulty' && parsed.faults.map((fault) => fault.code)).toEqual([code]);
  });

  it('says where JSON ends without quoting what stands there', () => {
    const parsed = parseProblem('{"tests": "secret output" oops}');
    expect(parsed.kind === 'faulty' && parsed.faults[0]?.reason).toBe('is not JSON at character 27');
  });

  it('names the byte at which UTF-8 ends', () => {
    const parsed = parseProblem(new Uint8Array([0x7b, 0x22, 0xc3, 0xa9, 0xff, 0x22, 0x7d]));
    expect(parsed.kind === 'faulty' && parsed.faults[0]?.reason).toContain('byte 4');
  });

  it('accepts a byte order mark', () => {
    expect(recordOf(`\uFEFF${JSON.stringify(minimal)}`).record.statement).toBe('Print 1.');
    expect(recordOf(new TextEncoder().encode(`\uFEFF${JSON.stringify(minimal)}`)).record.statement).toBe('Print 1.');
  });

  it('gives a faulty record the id that the sound one will have', () => {
    const good = recordOf(minimal);
    const bad = parseProblem(JSON.stringify({ ...minimal, statement: 5 }));
    expect(bad.problemId).toBe(good.problemId);
  });

  it('never throws, whatever the bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) =>
        ['problem', 'faulty'].includes(parseProblem(bytes).kind),
      ),
    );
    fc.assert(
      fc.property(fc.json(), fc.constantFrom('tidemark', 'humaneval', 'mbpp', ''), (text, format) =>
        ['problem', 'faulty'].includes(parseProblem(text, format).kind),
      ),
    );
  });

  it('never throws, whatever one field holds', () => {
    const field = fc.constantFrom(
      'statement',
      'tests',
      'origin',
      'facets',
      'limits',
      'references',
      'dates',
      'id',
      'checker',
    );
    fc.assert(
      fc.property(field, fc.jsonValue(), (name, value) =>
        ['problem', 'faulty'].includes(parseProblem(JSON.stringify({ ...minimal, [name]: value })).kind),
      ),
    );
  });
});

describe('what is said of a record with many cases', () => {
  const cases = (count: number, extra: object) =>
    JSON.stringify({
      ...minimal,
      entry_point: 'f',
      tests: { form: 'call', cases: Array.from({ length: count }, (_, i) => ({ args: [i], expected: i, ...extra })) },
    });

  it('is one warning for one kind of field, with its number', () => {
    const { warnings } = recordOf(cases(3500, { note: 'x', weight: 2 }));
    expect(warnings).toEqual([
      { code: 'unknown_field', field: 'tests.cases[].note', reason: 'is not known and was dropped (3500 times)' },
      { code: 'unknown_field', field: 'tests.cases[].weight', reason: 'is not known and was dropped (3500 times)' },
    ]);
    expect(recordOf(cases(1, { note: 'x' })).warnings[0]?.field).toBe('tests.cases[0].note');
  });

  it('stays short whatever the fields are called', () => {
    const names = Object.fromEntries(Array.from({ length: 9000 }, (_, i) => [`extra_${i}`, i]));
    const { warnings } = recordOf({ ...minimal, ...names, ['long'.repeat(100_000)]: 1 });
    expect(warnings).toHaveLength(50);
    expect(warnings.at(-1)?.reason).toBe('warnings of 8952 more fields, at 8952 places, are left out');
    expect(JSON.stringify(recordOf({ ...minimal, ['long'.repeat(100_000)]: 1 }).warnings).length).toBeLessThan(1000);
  });

  it('is cut off where every case is at fault, by its fields or by two of them together', () => {
    for (const extra of [{ example: 'yes' }, { in_place: 9 }]) {
      const parsed = parseProblem(cases(3500, extra));
      expect(parsed.kind === 'faulty' && parsed.faults.length).toBe(50);
    }
  });
});

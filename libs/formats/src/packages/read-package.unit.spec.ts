import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseProblem } from '../problems/parse-problem.ts';
import { sharedFile } from '../testing/shared.ts';
import type { PackageFiles, PackageOptions } from './problem-package.ts';
import { readPackage } from './read-package.ts';

const good: Readonly<Record<string, string>> = {
  'problem.yaml': 'name: Sum\nsource: A contest\nlicense: cc by-sa\nlimits:\n  memory: 256\n',
  '.timelimit': '2\n',
  'problem_statement/problem.sv.tex': 'Svenska',
  'problem_statement/problem.en.tex': '\\problemname{Sum} Add $a$ and $b$.',
  'data/sample/1.in': '1 2\n',
  'data/sample/1.ans': '3\n',
  'data/secret/group10/1.in': '5 6\n',
  'data/secret/group10/1.ans': '11\n',
  'data/secret/group2/1.in': '3 4\n',
  'data/secret/group2/1.ans': '7\n',
  'data/secret/testdata.yaml': 'on_reject: break\n',
  'submissions/accepted/a.py': 'print(sum(map(int, input().split())))\n',
  'submissions/accepted/old.py': '#!/usr/bin/env python2\nprint 1\n',
  'submissions/wrong_answer/w.cpp': 'int main() {}\n',
  'submissions/time_limit_exceeded/t.c': 'int main() { for (;;); }\n',
  'submissions/accepted/parts/x.pl': '1',
  'submissions/accepted/parts/y.pl': '2',
  'submissions/mixed/m.py': '# @EXPECTED_RESULTS@: WRONG-ANSWER, TIMELIMIT\nprint()\n',
};

describe('a Kattis package', () => {
  it('becomes one record, whole', () => {
    const read = readPackage(packed(good));
    if (read.kind !== 'package') throw new Error(JSON.stringify(read.faults));
    const parsed = parseProblem(read.record);
    if (parsed.kind !== 'problem') throw new Error(JSON.stringify(parsed.faults));
    expect(parsed.warnings).toEqual([]);
    const { record } = parsed;
    expect(record).toMatchObject({
      namespace: 'A contest',
      recordId: 'sum',
      title: 'Sum',
      statement: good['problem_statement/problem.en.tex'],
      taskKind: 'program',
      language: 'python',
      origin: { kind: 'real', licence: 'cc by-sa' },
      facets: { statement_markup: 'latex', statement_language: 'en' },
      limits: { cpuTimeMs: 2_000, memoryBytes: 256 * 2 ** 20, outputBytes: 8 * 2 ** 20 },
      tests: { checker: { kind: 'default', caseSensitive: false, spaceChangeSensitive: false } },
    });
    expect(record.tests?.form === 'stdin' && record.tests.cases.map(({ name, example }) => [name, example])).toEqual([
      ['sample/1', true],
      ['secret/group2/1', false],
      ['secret/group10/1', false],
    ]);
    expect(record.references.map(({ language }) => language)).toEqual(['python']);
    expect(record.knownWrong.map(({ language }) => language)).toEqual(['python', 'c', 'cpp']);
    expect(read.submissions.find(({ path }) => path.endsWith('m.py'))?.expected).toEqual([
      'wrong_answer',
      'time_limit',
    ]);
    expect(read.warnings.map(({ field }) => field)).toEqual(['submissions/accepted/parts']);
    expect(read.timing).toEqual({ limitSeconds: 2, multiplier: 5 });
  });

  it.each<[string, string, object]>([
    ['case_sensitive', 'default', { caseSensitive: true, abs: undefined }],
    ['float_tolerance 1e-4', 'default', { abs: 1e-4, rel: 1e-4 }],
    [
      'float_absolute_tolerance 1e-6 space_change_sensitive',
      'default',
      { abs: 1e-6, rel: undefined, spaceChangeSensitive: true },
    ],
  ])('with the flags %s compares so', (flags, _kind, checker) => {
    expect(
      recordOf({ ...good, 'problem.yaml': `${good['problem.yaml']}validator_flags: ${flags}\n` }).tests,
    ).toMatchObject({ checker });
    const grouped = recordOf({ ...good, 'data/testdata.yaml': `output_validator_flags: ${flags}\n` });
    expect(grouped.tests).toMatchObject({ checker });
  });

  it('brings its own validator with the files beside it', () => {
    const { tests } = recordOf({
      ...good,
      'problem.yaml': `${good['problem.yaml']}validation: custom\nvalidator_flags: 3 x\n`,
      'output_validators/v/validate.h': '// h',
      'output_validators/v/validate.cc': 'int main(int argc, char **argv) { return 42; }',
    });
    const files = { 'validate.h': '// h' };
    expect(tests).toMatchObject({
      checker: { kind: 'validator', protocol: 'kattis', language: 'cpp', files, flags: ['3', 'x'] },
    });
  });

  it.each<[string, Readonly<Record<string, string | undefined>>, string, string]>([
    [
      'interactive (legacy)',
      { 'problem.yaml': 'source: s\nvalidation: custom interactive' },
      'unsupported',
      'problem.yaml',
    ],
    ['interactive', { 'problem.yaml': 'source: s\ntype: interactive' }, 'unsupported', 'problem.yaml'],
    ['scoring', { 'problem.yaml': 'source: s\ntype: [pass-fail, scoring]' }, 'unsupported', 'problem.yaml'],
    [
      'scored by its validator',
      { 'problem.yaml': 'source: s\nvalidation: custom score' },
      'unsupported',
      'problem.yaml',
    ],
    ['multi-pass', { 'problem.yaml': 'source: s\ntype: multi-pass' }, 'unsupported', 'problem.yaml'],
    ['without YAML', { 'problem.yaml': 'a: [' }, 'bad_value', 'problem.yaml'],
    ['of a YAML list', { 'problem.yaml': '- a' }, 'wrong_type', 'problem.yaml'],
    ['of a YAML bomb', { 'problem.yaml': bomb() }, 'bad_value', 'problem.yaml'],
    ['without a source', { 'problem.yaml': 'name: x' }, 'missing_field', 'namespace'],
    [
      'without a statement',
      { 'problem_statement/problem.en.tex': undefined, 'problem_statement/problem.sv.tex': undefined },
      'missing_field',
      'problem_statement',
    ],
    ['without an answer', { 'data/sample/1.ans': undefined }, 'missing_field', 'data/sample/1.ans'],
    ['without an input', { 'data/sample/1.in': undefined }, 'missing_field', 'data/sample/1.in'],
    [
      'with two sets of flags',
      {
        'data/secret/group2/testdata.yaml': 'output_validator_flags: case_sensitive',
        'data/sample/testdata.yaml': 'output_validator_flags: x',
      },
      'unsupported',
      'data/secret/group2/testdata.yaml, data/sample/testdata.yaml',
    ],
    ['with an unknown flag', { 'problem.yaml': 'source: s\nvalidator_flags: fuzzy' }, 'unsupported', 'problem.yaml'],
    [
      'without the validator that it names',
      { 'problem.yaml': 'source: s\nvalidation: custom' },
      'missing_field',
      'output_validators',
    ],
    [
      'with a validator of Java',
      { 'problem.yaml': 'source: s\nvalidation: custom', 'output_validators/v/V.java': '' },
      'unsupported',
      'output_validators/v',
    ],
    ['with bytes that are no text', { 'data/sample/1.in': '\udc80' }, 'invalid_utf8', 'data/sample/1.in'],
    ['with a NUL', { 'data/sample/1.in': '\0' }, 'bad_character', 'data/sample/1.in'],
    ['with a limit of words', { '.timelimit': 'soon' }, 'bad_value', '.timelimit'],
  ])('%s is refused', (_what, changed, code, field) => {
    const read = readPackage(packed({ ...good, ...changed }));
    expect(read).toMatchObject({ kind: 'refused', faults: [{ code, field }] });
  });

  it('lies in the one folder of an archive; several are refused', () => {
    const inFolder = (name: string) =>
      Object.fromEntries(Object.entries(good).map(([path, content]) => [`${name}/${path}`, content]));
    expect(readPackage(packed(inFolder('other')))).toMatchObject({ kind: 'package', id: 'other' });
    expect(readPackage(packed({ ...inFolder('a'), ...inFolder('b') }))).toMatchObject({
      kind: 'refused',
      faults: [{ code: 'contradiction' }],
    });
    expect(readPackage(packed({ 'README.md': '' }))).toMatchObject({
      kind: 'refused',
      faults: [{ code: 'unknown_format' }],
    });
  });
});

const shared = ['icpc', 'kattis/examples', 'library-checker', 'polygon-palindromic-length'].map((name) =>
  sharedFile(`data/${name}`),
);
const absent = shared.some((path) => path === undefined);

describe.skipIf(absent)('real packages', () => {
  const [icpc = '', kattis = '', library = '', polygon = ''] = shared;

  it('of the ICPC and of Kattis are read whole, or refused for what they are', () => {
    const folders = [icpc, kattis].flatMap((top) =>
      readdirSync(top)
        .map((name) => join(top, name))
        .filter(isFolder),
    );
    const told = Object.fromEntries(
      folders.map((folder) => [
        relative(shared[0] as string, folder)
          .split('/')
          .at(-1),
        summary(folder),
      ]),
    );
    expect(told).toEqual({
      alohomoraandcolloportus: 'default, 3 s, 17 programs',
      basicbrewing: 'default, 1 s, 12 programs',
      decryptingzodiac: 'default, no limit, 15 programs',
      documentdimensions: 'default, 4 s, 12 programs',
      formulaflatland: 'default, 3 s, 22 programs',
      different: 'validator, no limit, 20 programs',
      guess: 'unsupported: problem.yaml says that the problem is interactive',
      hello: 'default, no limit, 8 programs',
      oddecho: 'unsupported: problem.yaml says that the problem is scoring',
    });
  });

  it('of library-checker are read with their English, without tests', () => {
    const folders = readdirSync(library).flatMap((group) =>
      isFolder(join(library, group)) ? readdirSync(join(library, group)).map((name) => join(library, group, name)) : [],
    );
    expect(folders).toHaveLength(20);
    for (const folder of folders) {
      const { statement, tests, references, title } = recordAt(folder);
      expect(tests).toBeUndefined();
      expect(title).not.toBe('');
      expect(references.length).toBeGreaterThan(0);
      // Neither Japanese nor what the repository's tool puts in.
      expect(statement).not.toMatch(/[\u3040-\u30ff\u4e00-\u9fff]|@\{(?!example\.)/);
    }
  });

  it('of Polygon are refused while tests are missing, and read where that is allowed', () => {
    expect(readPackage(filesOf(polygon))).toMatchObject({
      kind: 'refused',
      faults: [{ code: 'missing_field', field: 'tests' }],
    });
    const record = recordAt(polygon, { allowMissingTests: true });
    expect(record).toMatchObject({
      title: 'Палиндромы!',
      limits: { cpuTimeMs: 15_000, memoryBytes: 2 ** 30 },
      tests: { checker: { kind: 'tokens' } },
    });
    expect(record.references.length).toBeGreaterThan(5);
  });
});

function recordOf(files: Readonly<Record<string, string | undefined>>) {
  const read = readPackage(packed(files));
  if (read.kind !== 'package') throw new Error(JSON.stringify(read.faults));
  const parsed = parseProblem(read.record);
  if (parsed.kind !== 'problem') throw new Error(JSON.stringify(parsed.faults));
  return parsed.record;
}

function recordAt(folder: string, options: PackageOptions = {}) {
  const read = readPackage(filesOf(folder), options);
  if (read.kind !== 'package') throw new Error(JSON.stringify(read.faults));
  const parsed = parseProblem(read.record);
  if (parsed.kind !== 'problem') throw new Error(JSON.stringify(parsed.faults));
  return parsed.record;
}

function summary(folder: string): string {
  const read = readPackage(filesOf(folder), { allowMissingTests: true });
  if (read.kind === 'refused')
    return read.faults.map(({ code, field, reason }) => `${code}: ${field} ${reason}`).join('; ');
  const { tests } = recordAt(folder, { allowMissingTests: true });
  const seconds = read.timing.limitSeconds === undefined ? 'no limit' : `${read.timing.limitSeconds} s`;
  return `${tests?.form === 'stdin' ? tests.checker.kind : 'no'}, ${seconds}, ${read.submissions.length} programs`;
}

/** Half a pair stands for a byte that is no UTF-8. */
function packed(files: Readonly<Record<string, string | undefined>>): PackageFiles {
  const given = Object.entries(files).filter(([, content]) => content !== undefined);
  const bytes = given.map(
    ([path, content]) => [path, Buffer.from(content ?? '', content?.isWellFormed() ? 'utf8' : 'latin1')] as const,
  );
  return { name: 'sum', files: new Map(bytes) };
}

function filesOf(folder: string): PackageFiles {
  const files = new Map<string, Uint8Array>();
  for (const entry of readdirSync(folder, { recursive: true }) as string[]) {
    const path = join(folder, entry);
    if (statSync(path).isFile()) files.set(entry, readFileSync(path));
  }
  return { name: folder.split('/').at(-1) as string, files };
}

const isFolder = (path: string): boolean => statSync(path).isDirectory();

function bomb(): string {
  const rows = ['a: &a [x, x, x, x, x, x, x, x, x, x]'];
  for (const [at, name] of [...'bcdefghi'].entries())
    rows.push(`${name}: &${name} [${Array(10).fill(`*${'abcdefghi'[at]}`).join(', ')}]`);
  return rows.join('\n');
}

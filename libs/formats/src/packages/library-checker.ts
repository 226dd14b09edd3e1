import { parse, TomlError } from 'smol-toml';
import { settingsOf, textOf } from './package-text.ts';
import { languageOf } from './languages.ts';
import {
  type PackageFiles,
  type PackageOptions,
  type PackageSubmission,
  type ReadPackage,
  refusal,
} from './problem-package.ts';
import { toRecord } from './to-record.ts';

const TOML = 'info.toml';
const MEMORY_BYTES = 1024 ** 3;
const EXPECTED: Readonly<Record<string, PackageSubmission['expected']>> = {
  WA: ['wrong_answer'],
  TLE: ['time_limit'],
  RE: ['runtime_error'],
};

/**
 * A problem of library-checker-problems: `info.toml`, `task.md` with English and Japanese side by side, solutions in
 * `sol/`. Its repository holds generators in place of tests; with `in/*.in` and `out/*.out` beside (as its `generate.py`
 * leaves them) they are read, without them the record has no tests.
 *
 * @throws PackageRefusal
 */
export function readLibraryChecker(given: PackageFiles, options: PackageOptions): ReadPackage & { kind: 'package' } {
  const { files, name } = given;
  const info = readToml(files.get(TOML) as Uint8Array);
  const task = files.get('task.md');
  if (task === undefined) throw refusal('missing_field', 'task.md', 'is missing', 'Add the statement');
  const seconds = typeof info['timelimit'] === 'number' ? info['timelimit'] : undefined;
  const solutions = Array.isArray(info['solutions']) ? (info['solutions'] as Readonly<Record<string, unknown>>[]) : [];
  const submissions = [...files.keys()].flatMap((path): PackageSubmission[] => {
    if (!/^sol\/[^/]+$/.test(path)) return [];
    const code = textOf(path, files.get(path) as Uint8Array);
    const language = languageOf(path, code);
    if (language === '') return [];
    const said = solutions.find((one) => `sol/${String(one['name'])}` === path);
    const expected = [...(EXPECTED[String(said?.['expect'])] ?? (['accepted'] as const))];
    // It may pass or run out of time: neither right nor wrong.
    if (said?.['allow_tle'] === true) expected.push('time_limit');
    return [{ path, language, code, label: typeof said?.['expect'] === 'string' ? said['expect'] : 'AC', expected }];
  });
  const cases = [...files.keys()]
    .filter((path) => /^in\/[^/]+\.in$/.test(path))
    .sort()
    .map((path) => {
      const test = path.slice('in/'.length, -'.in'.length);
      const expected = files.get(`out/${test}.out`);
      return {
        name: test,
        input: textOf(path, files.get(path) as Uint8Array),
        ...(expected === undefined ? { expected: undefined } : { expected: textOf(`out/${test}.out`, expected) }),
        example: test.startsWith('example'),
      };
    });
  if (cases.length > 0 && files.has('checker.cpp')) {
    throw refusal(
      'unsupported',
      'checker.cpp',
      'needs the headers of its repository',
      'Offer it as a Kattis package with an output validator',
    );
  }
  const title = typeof info['title'] === 'string' ? info['title'] : name;
  const record = toRecord(
    {
      id: name,
      title,
      statement: { text: englishOf(textOf('task.md', task), paramsOf(info)), markup: 'markdown', language: 'en' },
      source: 'library-checker',
      url: typeof info['forum'] === 'string' ? info['forum'] : '',
      licence: 'Apache-2.0',
      facets: {},
      cases,
      checker: { kind: 'tokens' },
      submissions,
      limits: { ...(seconds === undefined ? {} : { cpu_ms: Math.round(seconds * 1000) }), memory_bytes: MEMORY_BYTES },
    },
    options,
  );
  const told =
    cases.length > 0
      ? []
      : [
          {
            code: 'unread_file' as const,
            field: TOML,
            reason: 'names generators, which are not run: the record has no tests',
          },
        ];
  return {
    kind: 'package',
    format: 'library-checker',
    id: name,
    record,
    submissions,
    timing: { limitSeconds: seconds, multiplier: 2 },
    warnings: told,
  };
}

function readToml(bytes: Uint8Array): Readonly<Record<string, unknown>> {
  const text = settingsOf(TOML, bytes);
  try {
    return parse(text);
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    throw refusal('bad_value', TOML, `is not TOML at line ${error.line}`, 'Mend its syntax');
  }
}

/** Values that `@{param.NAME}` stands for; written as plain numbers, as the repository's own tool does. */
function paramsOf(info: Readonly<Record<string, unknown>>): ReadonlyMap<string, string> {
  const params = info['params'];
  if (typeof params !== 'object' || params === null) return new Map();
  return new Map(Object.entries(params).map(([key, value]) => [key, String(value)]));
}

const KEYWORDS: Readonly<Record<string, string>> = {
  statement: 'Problem Statement',
  constraints: 'Constraints',
  input: 'Input',
  output: 'Output',
  sample: 'Sample',
};

/** The English of a task: blocks of another language go, keywords and parameters are put in. Samples are named, not there. */
function englishOf(task: string, params: ReadonlyMap<string, string>): string {
  const kept: string[] = [];
  let language = 'en';
  for (const line of task.split('\n')) {
    const switched = /^\s*@\{lang\.(\w+)\}\s*$/.exec(line)?.[1];
    if (switched !== undefined) language = switched === 'end' ? 'en' : switched;
    else if (language === 'en') kept.push(line);
  }
  return kept
    .join('\n')
    .replaceAll(/@\{keyword\.(\w+)\}/g, (whole, word: string) => KEYWORDS[word] ?? whole)
    .replaceAll(/@\{param\.(\w+)\}/g, (whole, param: string) => params.get(param) ?? whole)
    .replaceAll(/\n{3,}/g, '\n\n');
}

import { z } from 'zod';
import type { Fault } from '../faults.ts';
import { date, integer, name, rawJson, rawText, recordId, text, tolerance } from '../json/fields.ts';
import type { RawJson } from '../json/plain.ts';
import { readFields } from '../json/read-fields.ts';
import { limits } from '../limits.ts';
import type { ProblemFormat } from './problem-format.ts';
import type { ProblemRecord, RecordChecker, RecordSolution, RecordTests, TaskKind } from './problem-record.ts';

const example = z.boolean().default(false);
const language = z
  .string()
  .regex(/^[a-z0-9][a-z0-9+#._-]{0,31}$/, { error: 'has to be a lower-case language name such as python' });
const code = text(limits.codeBytes);
const solution = z.strictObject({
  code,
  language: language.optional(),
  author: name(limits.nameCharacters, 0).default(''),
});

const tests = z.discriminatedUnion('form', [
  z.strictObject({
    form: z.literal('stdin'),
    cases: z
      .array(
        z.strictObject({
          input: text(limits.recordBytes),
          expected: rawText().optional(),
          example,
          name: name(limits.nameCharacters).optional(),
        }),
      )
      .max(limits.cases),
  }),
  z.strictObject({
    form: z.literal('call'),
    cases: z
      .array(
        z.strictObject({
          args: rawJson().refine((value) => value.node.kind === 'array', {
            error: 'has to be a list, one entry an argument',
          }),
          kwargs: rawJson()
            .refine((value) => value.node.kind === 'object', { error: 'has to be an object, one member an argument' })
            .optional(),
          expected: rawJson().optional(),
          in_place: integer(0, 255).optional(),
          example,
        }),
      )
      .max(limits.cases),
  }),
  z.strictObject({
    form: z.literal('assert'),
    setup: code.default(''),
    cases: z.array(z.strictObject({ script: code, example })).max(limits.cases),
  }),
]);

const checker = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('exact') }),
  z.strictObject({ kind: z.enum(['tokens', 'lines', 'unordered_tokens']), ignore_case: z.boolean().default(false) }),
  z.strictObject({
    kind: z.enum(['float', 'json']),
    abs: tolerance().optional(),
    rel: tolerance().optional(),
  }),
  z.strictObject({ kind: z.literal('program'), code, language: language.default('python') }),
  z.strictObject({
    kind: z.literal('default'),
    case_sensitive: z.boolean().default(false),
    space_change_sensitive: z.boolean().default(false),
    abs: tolerance().optional(),
    rel: tolerance().optional(),
  }),
  z.strictObject({
    kind: z.literal('validator'),
    protocol: z.enum(['kattis', 'testlib']),
    language: language.default('cpp'),
    code,
    files: z
      .record(
        z.string().regex(/^(?!.*\.\.)[A-Za-z0-9_+][A-Za-z0-9_.+/-]{0,199}$/, { error: 'has to be a relative path' }),
        code,
      )
      .default({}),
    flags: z.array(name(limits.nameCharacters)).max(100).default([]),
  }),
]);

const schema = z.strictObject({
  namespace: name(limits.namespaceCharacters).optional(),
  id: recordId().optional(),
  title: name(limits.titleCharacters, 0).default(''),
  statement: text(limits.statementBytes),
  kind: z.enum(['program', 'function', 'class', 'repair', 'translation', 'multi_file']).optional(),
  language: language.default('python'),
  entry_point: name(limits.nameCharacters).optional(),
  starter_code: text(limits.starterCodeBytes).default(''),
  origin: z
    .strictObject({
      kind: z.enum(['real', 'synthetic', 'unknown']).optional(),
      url: name(limits.textCharacters, 0).default(''),
      platform: name(limits.nameCharacters, 0).default(''),
      difficulty_label: name(limits.nameCharacters, 0).default(''),
    })
    .prefault({}),
  licence: name(limits.nameCharacters, 0).optional(),
  dates: z.strictObject({ published: date().optional(), scraped: date().optional() }).prefault({}),
  facets: z
    .record(
      z.string().regex(/^[a-z][a-z0-9_]{0,63}$/, { error: 'has to be in snake_case' }),
      z.string().max(limits.facetCharacters),
    )
    .refine((facets) => Object.keys(facets).length <= limits.facetNames, {
      error: `has more than ${limits.facetNames} names`,
    })
    .default({}),
  tests: tests.optional(),
  checker: checker.optional(),
  references: z.array(solution).max(limits.references).default([]),
  known_wrong: z.array(solution).max(limits.references).default([]),
  limits: z
    .strictObject({
      cpu_ms: integer(1, 600_000).optional(),
      wall_ms: integer(1, 600_000).optional(),
      memory_bytes: integer(2 ** 20, 2 ** 34).optional(),
      output_bytes: integer(1, 2 ** 30).optional(),
    })
    .prefault({}),
});
type Row = z.output<typeof schema>;

const holds: Readonly<Record<string, string>> = {
  namespace: 'the name of the source, such as "acme-contest"; the submitter may name it for the whole file',
  id: "the source's own id of the record, text or an integer",
  statement: 'the task in Markdown',
  kind: 'program, function, class, repair, translation or multi_file',
  entry_point: 'the name of the function that the tests call',
  origin: 'an object with kind, url, platform, difficulty_label',
  'origin.kind': 'real, synthetic or unknown',
  'dates.published': 'a date such as "2025-03-01"',
  'dates.scraped': 'a date such as "2025-03-01"',
  facets: 'an object of snake_case names and texts',
  tests: 'an object with form (stdin, call, assert) and cases',
  'tests.form': 'stdin, call or assert',
  'tests.cases': 'a list of cases',
  'tests.cases[]': 'one case as its form wants it',
  'tests.cases[].input': 'the text of standard input',
  'tests.cases[].expected': 'what has to come out',
  'tests.cases[].args': 'the list of arguments, such as [1, "a"]',
  'tests.cases[].kwargs': 'an object of named arguments',
  'tests.cases[].script': 'code that asserts',
  'tests.cases[].example': 'true when a model may see the case',
  checker: 'an object with kind',
  'checker.kind': 'tokens, lines, unordered_tokens, exact, float, json, default, program or validator',
  'checker.code': 'Python that defines check(input, output, expected)',
  references: 'a list of {"code": …}',
  'references[].code': 'a whole program that passes the tests',
  'known_wrong[].code': 'a whole program that fails a test',
};

/** Tidemark's own format; `docs/formats.md` is its definition. */
export const tidemarkProblem: ProblemFormat = {
  name: 'tidemark.problem.v1',
  namespace: undefined,
  namespaceField: 'namespace',
  idField: 'id',
  rawAt: new Set(['tests.cases[].args', 'tests.cases[].kwargs', 'tests.cases[].expected']),
  // Only by its name: its field names are too common to be a sign.
  recognises: () => false,

  read(record, defaults) {
    const read = readFields(schema, record, holds);
    if (read.kind === 'faulty') return read;
    const row = read.value;
    const namespace = row.namespace ?? defaults.namespace;
    const faults = [...crossFaults(row)];
    if (namespace === undefined) {
      faults.unshift({
        code: 'missing_field',
        field: 'namespace',
        reason: 'is missing',
        advice: `Add it: ${holds.namespace}`,
      });
    }
    if (namespace === undefined || faults.length > 0) return { kind: 'faulty', faults };
    const value: ProblemRecord = {
      format: 'tidemark.problem.v1',
      namespace,
      recordId: row.id,
      origin: {
        kind: row.origin.kind ?? defaults.originKind ?? 'unknown',
        licence: row.licence ?? defaults.licence ?? '',
        url: row.origin.url,
        platform: row.origin.platform,
        difficultyLabel: row.origin.difficulty_label,
        publishedAt: row.dates.published,
        scrapedAt: row.dates.scraped,
      },
      title: row.title,
      statement: row.statement,
      taskKind: row.kind ?? kindOf(row),
      language: row.language,
      starterCode: row.starter_code,
      entryPoint: row.entry_point ?? '',
      tests: testsOf(row),
      references: row.references.map((one) => solutionOf(one, row.language)),
      knownWrong: row.known_wrong.map((one) => solutionOf(one, row.language)),
      limits: {
        cpuTimeMs: row.limits.cpu_ms,
        wallTimeMs: row.limits.wall_ms,
        memoryBytes: row.limits.memory_bytes,
        outputBytes: row.limits.output_bytes,
      },
      facets: row.facets,
    };
    return { kind: 'read', value, warnings: read.warnings };
  },
};

function kindOf(row: Row): TaskKind {
  if (row.tests) return row.tests.form === 'stdin' ? 'program' : 'function';
  return row.entry_point === undefined ? 'program' : 'function';
}

function solutionOf(one: z.output<typeof solution>, fallback: string): RecordSolution {
  return { code: one.code, language: one.language ?? fallback, author: one.author };
}

function testsOf(row: Row): RecordTests | undefined {
  const given = row.tests;
  if (given === undefined || given.cases.length === 0) return undefined;
  switch (given.form) {
    case 'stdin':
      return {
        form: 'stdin',
        checker: checkerOf(row, 'tokens'),
        cases: given.cases.map(({ input, expected, example, name }) => ({ input, expected, example, name })),
      };
    case 'call':
      return {
        form: 'call',
        checker: checkerOf(row, 'json'),
        cases: given.cases.map((one) => ({
          arguments: one.args.node.kind === 'array' ? one.args.node.items.map((item) => item.text) : [],
          namedArguments: namedArgumentsOf(one.kwargs),
          expected: one.expected?.text,
          inPlace: one.in_place,
          example: one.example,
        })),
      };
    case 'assert': {
      const setUp = given.setup === '' || given.setup.endsWith('\n') ? given.setup : `${given.setup}\n`;
      return {
        form: 'assert',
        preparation: '',
        cases: given.cases.map((one) => ({ code: setUp + one.script, example: one.example })),
      };
    }
  }
}

function namedArgumentsOf(given: RawJson | undefined): Readonly<Record<string, string>> {
  if (given?.node.kind !== 'object') return {};
  return Object.fromEntries(given.node.members.map((member) => [member.key, member.value.text]));
}

function checkerOf(row: Row, fallback: 'tokens' | 'json'): RecordChecker {
  const given = row.checker;
  if (given === undefined)
    return fallback === 'json' ? { kind: 'json', abs: 0, rel: 0 } : { kind: 'tokens', ignoreCase: false };
  switch (given.kind) {
    case 'program':
      return { kind: 'program', code: given.code, language: given.language };
    case 'float':
    case 'json':
      return { kind: given.kind, abs: given.abs ?? 0, rel: given.rel ?? 0 };
    case 'exact':
      return { kind: 'exact' };
    case 'default': {
      const { case_sensitive, space_change_sensitive, abs, rel } = given;
      return { kind: 'default', caseSensitive: case_sensitive, spaceChangeSensitive: space_change_sensitive, abs, rel };
    }
    case 'validator': {
      const { protocol, language, code, files, flags } = given;
      return { kind: 'validator', protocol, language, code, files, flags };
    }
    case 'tokens':
    case 'lines':
    case 'unordered_tokens':
      return { kind: given.kind, ignoreCase: given.ignore_case };
  }
}

/** What two fields together can't be. */
function* crossFaults(row: Row): Generator<Fault> {
  const tests = row.tests;
  if (tests?.form === 'call' && row.entry_point === undefined) {
    yield {
      code: 'missing_field',
      field: 'entry_point',
      reason: 'is missing, and the tests call it',
      advice: `Add it: ${holds.entry_point}`,
    };
  }
  if (tests?.form === 'assert' && row.checker !== undefined) {
    yield {
      code: 'contradiction',
      field: 'checker',
      reason: 'stands beside assert tests, which decide themselves',
      advice: 'Remove the checker, or write the tests as stdin or call',
    };
  }
  if (tests?.form === 'call' && row.checker !== undefined && row.checker.kind !== 'json') {
    yield {
      code: 'contradiction',
      field: 'checker.kind',
      reason:
        row.checker.kind === 'program'
          ? 'is program, which decides on the text that a program prints, but call tests compare values'
          : `is ${row.checker.kind}, which compares text, but call tests compare values`,
      advice: 'Use json (with abs and rel for tolerances), or write what the values have to fulfil as assert tests',
    };
  }
  if (tests?.form === 'call') {
    for (const [i, one] of tests.cases.entries()) {
      const count = one.args.node.kind === 'array' ? one.args.node.items.length : 0;
      if (one.in_place !== undefined && one.in_place >= count) {
        yield {
          code: 'contradiction',
          field: `tests.cases[${i}].in_place`,
          reason: `names argument ${one.in_place} of ${count}`,
          advice: 'Count arguments from 0',
        };
      }
    }
  }
}

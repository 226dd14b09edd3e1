import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Comparison, defaultLimits, type Limits, type TestForm, type Verdict } from '@tidemark/judging';

/** A case of the written banks (`judging.jsonl`, `hostile.jsonl`): a program, tests, and the verdict it must get. */
export type BankCase = {
  readonly id: string;
  readonly language: string;
  readonly mode: 'stdio' | 'call';
  readonly program: string;
  readonly entry?: string;
  readonly inplace?: number;
  readonly tests: readonly string[];
  readonly rawTests: readonly RawTest[];
  readonly checker: RawChecker;
  readonly verdict: string;
  readonly accept?: readonly string[];
  readonly why: string;
  readonly lim?: { readonly cpu?: number; readonly wall?: number; readonly out_cap?: number };
  readonly parallel?: number;
  readonly max_wall?: number;
  readonly normalize_input?: string;
  readonly normalize_expected?: string;
};

type RawTest = {
  readonly stdin?: string;
  readonly stdin_py?: string;
  readonly expected?: unknown;
  readonly expected_py?: string;
};

type RawChecker = {
  readonly type: string;
  readonly abs?: number;
  readonly rel?: number;
  readonly ignore_case?: boolean;
  readonly code?: string;
};

/** The folder of shared data: `TIDEMARK_SHARED`, or `shared` beside the repository. */
function sharedFolder(): string {
  const root = resolve(fileURLToPath(import.meta.url), '../../../../..');
  return process.env.TIDEMARK_SHARED ?? resolve(root, '../shared');
}

/** The cases of one bank, or undefined where the shared folder is absent. */
export function readBank(file: string): BankCase[] | undefined {
  const path = join(sharedFolder(), 'cases', file);
  if (!existsSync(path)) return undefined;
  const lines = readFileSync(path, 'utf8').split('\n').filter(Boolean);
  return lines.map((line) => {
    const parsed = JSON.parse(line) as BankCase & { tests: RawTest[] };
    return { ...parsed, rawTests: parsed.tests, tests: textsOf(line) };
  });
}

/** Each test as the text it was written with: `JSON.parse` would round big integers. */
function textsOf(line: string): string[] {
  const start = line.indexOf('"tests": [') + '"tests": '.length;
  return start < '"tests": '.length ? [] : splitList(valueAt(line, start));
}

/** What the bank's times were taken on is not this machine: where no limit is what a case is about, it gets room. */
const ROOM = 4;

export function limitsOf(bank: BankCase): Limits {
  const { cpu = 2, wall = 5, out_cap = 8 * 1024 * 1024 } = bank.lim ?? {};
  const room = [bank.verdict, ...(bank.accept ?? [])].includes('TLE') ? 1 : ROOM;
  return { ...defaultLimits, cpuTimeMs: cpu * room * 1000, wallTimeMs: wall * room * 1000, outputBytes: out_cap };
}

const encoder = new TextEncoder();

/** @param evaluate runs a Python expression and gives what it writes. */
export async function formOf(bank: BankCase, evaluate: (expression: string) => Promise<Uint8Array>): Promise<TestForm> {
  if (bank.mode === 'call') {
    return {
      kind: 'call',
      entry: bank.entry ?? '',
      comparison: comparisonOf(bank.checker),
      tests: bank.tests.map((text) => ({
        argumentsJson: splitList(memberOf(text, 'args')),
        expectedJson: memberOf(text, 'expected'),
        ...(bank.inplace === undefined ? {} : { inPlaceArgument: bank.inplace }),
      })),
    };
  }
  const tests = bank.rawTests.map(async (test) => ({
    input: test.stdin_py
      ? await evaluate(test.stdin_py)
      : encoder.encode(cleaned(test.stdin ?? '', bank.normalize_input)),
    expected: test.expected_py
      ? await evaluate(test.expected_py)
      : encoder.encode(cleaned(typeof test.expected === 'string' ? test.expected : '', bank.normalize_expected)),
  }));
  const { checker } = bank;
  return {
    kind: 'stdin',
    tests: await Promise.all(tests),
    checker:
      checker.type === 'program'
        ? { kind: 'program', language: 'python', source: checker.code ?? '' }
        : comparisonOf(checker),
  };
}

/** What ingest does to stored tests, for the cases that say so. */
function cleaned(text: string, how: string | undefined): string {
  if (how === 'crlf') return text.replaceAll('\r\n', '\n');
  if (how === 'bom') return text.replace(/^\ufeff/, '');
  if (how === 'nbsp') return text.replaceAll('\u00a0', ' ');
  return text;
}

function comparisonOf(checker: RawChecker): Comparison {
  const ignoreCase = checker.ignore_case ?? false;
  const tolerance = { absolute: checker.abs ?? 0, relative: checker.rel ?? 0 };
  switch (checker.type) {
    case 'tokens':
      return { kind: 'tokens', ignoreCase };
    case 'lines':
      return { kind: 'lines', ignoreCase };
    case 'float':
      return { kind: 'numbers', tolerance, ignoreCase };
    case 'unordered_tokens':
      return { kind: 'unordered', ignoreCase };
    case 'json':
      return checker.abs === undefined ? { kind: 'json' } : { kind: 'json', tolerance };
    default:
      throw new TypeError(`unknown checker ${checker.type}`);
  }
}

/** The banks' short names of verdicts. */
export const SHORT: Readonly<Partial<Record<Verdict, string>>> = {
  accepted: 'AC',
  wrong_answer: 'WA',
  runtime_error: 'RE',
  time_limit: 'TLE',
  memory_limit: 'MLE',
  output_limit: 'OLE',
  compile_error: 'CE',
  no_tests: 'NO_TESTS',
};

/** The JSON text of one value that begins at `start`. */
function valueAt(text: string, start: number): string {
  let depth = 0;
  let quoted = false;
  for (let at = start; at < text.length; at++) {
    const character = text[at] as string;
    if (quoted) {
      if (character === '\\') at++;
      else if (character === '"') quoted = false;
    } else if (character === '"') quoted = true;
    else if ('[{'.includes(character)) depth++;
    else if (']}'.includes(character)) depth--;
    const ended = depth < 0 || (depth === 0 && (/[,]/.test(text[at + 1] ?? ',') || /[\]}]/.test(text[at + 1] ?? '')));
    if (!quoted && ended) return text.slice(start, depth < 0 ? at : at + 1).trim();
  }
  return text.slice(start).trim();
}

function splitList(list: string): string[] {
  const items: string[] = [];
  for (let at = 1; at < list.length - 1; ) {
    const item = valueAt(list, at);
    items.push(item);
    at = list.indexOf(item, at) + item.length + 1;
  }
  return items.filter((item) => item !== '');
}

function memberOf(object: string, name: string): string {
  const key = `"${name}": `;
  const at = object.indexOf(key);
  return at < 0 ? 'null' : valueAt(object, at + key.length);
}

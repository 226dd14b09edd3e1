import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  type Comparison,
  defaultLimits,
  type JsonValue,
  type Limits,
  parseJson,
  type TestForm,
  type Verdict,
} from '@tidemark/judging';

/** A case of the written banks (`judging.jsonl`, `hostile.jsonl`): a program, tests, and the verdict it must get. */
export type BankCase = {
  readonly id: string;
  readonly language: string;
  readonly mode: 'stdio' | 'call';
  readonly program: string;
  readonly entry?: string;
  readonly inplace?: number;
  /** Numbers as they were written: `JSON.parse` would round big integers. */
  readonly tests: readonly JsonValue[];
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
  /** What it gets where nothing is cleaned. */
  readonly raw_verdict?: string;
  /** What must hold outside the sandbox. */
  readonly host?: readonly string[];
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
  const root = resolve(fileURLToPath(import.meta.url), '../../../../../..');
  return process.env.TIDEMARK_SHARED ?? resolve(root, '../shared');
}

/** The cases of one bank, or undefined where the shared folder is absent. */
export function readBank(file: string): BankCase[] | undefined {
  const path = join(sharedFolder(), 'cases', file);
  if (!existsSync(path)) return undefined;
  return readFileSync(path, 'utf8').split('\n').filter(Boolean).map(readCase);
}

/** One line of a bank. @throws TypeError where it is no case for a judge */
export function readCase(line: string): BankCase {
  const value = parseJson(line);
  const tests = memberOf(value, 'tests');
  const parsed = JSON.parse(value === undefined ? 'null' : jsonText(value, 'null')) as
    | (BankCase & { tests: RawTest[] })
    | null;
  if (typeof parsed?.program !== 'string' || tests?.kind !== 'list' || typeof parsed.checker?.type !== 'string') {
    throw new TypeError('a case for the judge has program, tests and checker');
  }
  return { ...parsed, rawTests: parsed.tests, tests: tests.items };
}

/** What the bank's times were taken on is not this machine: where no limit is what a case is about, it gets room. */
const ROOM = 4;

export function limitsOf(bank: BankCase): Limits {
  const { cpu = 2, wall = 5, out_cap = 8 * 1024 * 1024 } = bank.lim ?? {};
  const room = [bank.verdict, ...(bank.accept ?? [])].includes('TLE') ? 1 : ROOM;
  return { ...defaultLimits, cpuTimeMs: cpu * room * 1000, wallTimeMs: wall * room * 1000, outputBytes: out_cap };
}

const encoder = new TextEncoder();

/**
 * @param evaluate runs a Python expression and gives what it writes
 * @param clean whether tests are cleaned as ingest does, where the case says how
 */
export async function formOf(
  bank: BankCase,
  evaluate: (expression: string) => Promise<Uint8Array>,
  clean = true,
): Promise<TestForm> {
  const how = (given: string | undefined) => (clean ? given : undefined);
  if (bank.mode === 'call') {
    return {
      kind: 'call',
      entry: bank.entry ?? '',
      comparison: comparisonOf(bank.checker),
      tests: bank.tests.map((test) => ({
        argumentsJson: itemsOf(memberOf(test, 'args')).map((value) => jsonText(value)),
        expectedJson: jsonText(memberOf(test, 'expected') ?? { kind: 'null' }),
        ...(bank.inplace === undefined ? {} : { inPlaceArgument: bank.inplace }),
      })),
    };
  }
  const tests = bank.rawTests.map(async (test) => ({
    input: test.stdin_py
      ? await evaluate(test.stdin_py)
      : encoder.encode(cleaned(test.stdin ?? '', how(bank.normalize_input))),
    expected: test.expected_py
      ? await evaluate(test.expected_py)
      : encoder.encode(cleaned(typeof test.expected === 'string' ? test.expected : '', how(bank.normalize_expected))),
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

function memberOf(value: JsonValue | undefined, name: string): JsonValue | undefined {
  return value?.kind === 'object' ? value.entries.get(name) : undefined;
}

function itemsOf(value: JsonValue | undefined): readonly JsonValue[] {
  return value?.kind === 'list' ? value.items : [];
}

/** @param nonFinite written for what plain JSON has no word for; as it stood where nothing is given */
function jsonText(value: JsonValue, nonFinite?: string): string {
  switch (value.kind) {
    case 'null':
      return 'null';
    case 'boolean':
      return String(value.value);
    case 'number':
      return /[a-z]/i.test(value.text.replace(/e/i, '')) ? (nonFinite ?? value.text) : value.text;
    case 'string':
      return JSON.stringify(value.value);
    case 'list':
      return `[${value.items.map((item) => jsonText(item, nonFinite)).join(', ')}]`;
    case 'object': {
      const members = [...value.entries].map(([key, item]) => `${JSON.stringify(key)}: ${jsonText(item, nonFinite)}`);
      return `{${members.join(', ')}}`;
    }
  }
}

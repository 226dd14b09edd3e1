import type { SpotEvent } from '../start/load-standalone.ts';
import { type Column, cut, plural } from './table.ts';

type Of<Kind extends SpotEvent['kind']> = SpotEvent & { readonly kind: Kind };

/** The short names of verdicts that contests use. */
const CODES: Readonly<Record<string, string>> = {
  accepted: 'AC',
  wrong_answer: 'WA',
  time_limit: 'TLE',
  memory_limit: 'MLE',
  output_limit: 'OLE',
  runtime_error: 'RE',
  compile_error: 'CE',
};
const LIMITS: Readonly<Record<string, string>> = {
  stated: 'as the problem states',
  measured: 'from its slowest right program, since it states none',
  default: "the judge's own, since the problem states none",
  given: 'as given',
};
const DETAIL_WIDTH = 100;

const right = (heading: string): Column => ({ heading, align: 'right' });
const left = (heading: string): Column => ({ heading });

export const TEST_COLUMNS: readonly Column[] = [left('test'), left('verdict'), right('CPU ms'), right('MiB'), left('')];
export const SUBMISSION_COLUMNS: readonly Column[] = [
  left('program'),
  left('verdict'),
  left('wanted'),
  left('at test'),
  right('passed'),
  right('CPU ms'),
  right('MiB'),
  left(''),
];

export function problemText({
  title,
  tests,
  checker,
  cpu_ms,
  limit,
  memory_bytes,
  judge,
  languages,
  warnings,
}: Of<'problem'>): string[] {
  return [
    `${title || 'The problem'}: ${plural(tests, 'test')}, checker ${checker}, ${cpu_ms / 1000} s of CPU time (${LIMITS[limit]}), ${mebibytes(memory_bytes)} MiB`,
    `judge ${judge}: ${languages.join(', ')}`,
    ...warnings.map(({ field, reason }) => `note: ${field} ${reason}`),
  ];
}

export const testRow = ({ test, verdict, cpu_ms, memory_bytes, detail, expected }: Of<'test'>): string[] => [
  test,
  words(verdict),
  String(cpu_ms),
  mebibytes(memory_bytes),
  oneLine(expected === undefined ? detail : `${detail}, not ${expected}`),
];

export function submissionRow(event: Of<'submission'>): string[] {
  const {
    submission,
    verdict,
    test,
    tests_run,
    tests_passed,
    max_cpu_ms,
    max_memory_bytes,
    wanted,
    as_wanted,
    waits,
    detail,
  } = event;
  return [
    submission,
    words(verdict),
    `${wanted.map(words).join(' or ') || 'accepted'}${as_wanted || waits ? '' : '  ✗'}`,
    test,
    `${tests_passed}/${tests_run}`,
    String(max_cpu_ms),
    mebibytes(max_memory_bytes),
    oneLine(detail),
  ];
}

/** `AC AC WA`, repeated ones counted: `AC×12 WA`. */
export function codesText(tests: readonly Of<'test'>[]): string {
  const runs: { code: string; times: number }[] = [];
  for (const { verdict } of tests) {
    const code = CODES[verdict] ?? verdict;
    const last = runs.at(-1);
    if (last?.code === code) last.times += 1;
    else runs.push({ code, times: 1 });
  }
  return runs.map(({ code, times }) => (times === 1 ? code : `${code}×${times}`)).join(' ');
}

const words = (verdict: string): string => verdict.replaceAll('_', ' ');
const mebibytes = (bytes: number): string => (bytes / 2 ** 20).toFixed(0);
const oneLine = (text: string): string => cut(text.replaceAll(/\s+/g, ' '), DETAIL_WIDTH);

import { performance } from 'node:perf_hooks';
import type { Verdict } from '@tidemark/judging';
import type { JudgeResult } from '../../judge/judge.ts';
import type { CaseJudge } from './case-judge.ts';
import { conditionsOf } from './host-conditions.ts';
import { type BankCase, formOf, limitsOf, SHORT } from './read-bank.ts';

/** What became of a case. */
export type CaseOutcome = {
  readonly id: string;
  /** Every verdict that will do. */
  readonly wanted: readonly string[];
  /** Distinct verdicts of all its runs; empty where it waits. */
  readonly got: readonly string[];
  /** `waits`: no profile for its language here. */
  readonly outcome: 'as wanted' | 'differs' | 'waits';
  /** What differs, or what it waits for. */
  readonly details: readonly string[];
  /** What was looked at from outside. */
  readonly conditions: readonly { readonly condition: string; readonly holds: boolean | undefined }[];
  readonly seconds: number;
};

/** Judges a case as its bank wants it: side by side, cleaned and not, and looks from outside at what must hold there. */
export async function runCase(bank: BankCase, judge: CaseJudge): Promise<CaseOutcome> {
  const wanted = bank.accept ?? [bank.verdict];
  const none = { id: bank.id, wanted, got: [], conditions: [], seconds: 0 };
  if (!judge.speaks(bank.language)) {
    return { ...none, outcome: 'waits', details: [`no profile for ${bank.language}`] };
  }
  const form = await formOf(bank, judge.evaluate);
  const limits = limitsOf(bank);
  const conditions = await conditionsOf(bank, form, judge);
  const started = performance.now();
  const once = () => judge.judge({ language: bank.language, source: bank.program }, form, limits);
  const results = await Promise.all(Array.from({ length: bank.parallel ?? 1 }, once));
  const seconds = (performance.now() - started) / 1000;
  const looked = [];
  for (const condition of conditions) {
    looked.push({ condition: condition.name, holds: await condition.holds?.(results, seconds) });
  }
  const details = [
    ...results.filter(({ verdict }) => !wanted.includes(shortOf(verdict))).map(wordsOf),
    ...looked.filter(({ holds }) => holds === false).map(({ condition }) => `does not hold: ${condition}`),
    ...(await differenceWithoutCleaning(bank, judge)),
  ];
  const got = [...new Set(results.map(({ verdict }) => shortOf(verdict)))];
  const outcome = details.length === 0 ? 'as wanted' : 'differs';
  return { id: bank.id, wanted, got, outcome, details, conditions: looked, seconds };
}

/** What a case gets whose tests nobody cleaned, where the bank says. */
async function differenceWithoutCleaning(bank: BankCase, judge: CaseJudge): Promise<readonly string[]> {
  const { raw_verdict, normalize_input, normalize_expected } = bank;
  if (raw_verdict === undefined || (normalize_input ?? normalize_expected) === undefined) return [];
  const form = await formOf(bank, judge.evaluate, false);
  const { verdict } = await judge.judge({ language: bank.language, source: bank.program }, form, limitsOf(bank));
  const got = shortOf(verdict);
  return got === raw_verdict ? [] : [`without cleaning: ${raw_verdict} wanted, ${got}`];
}

const shortOf = (verdict: Verdict): string => SHORT[verdict] ?? verdict;

const wordsOf = ({ verdict, detail, failingTest }: JudgeResult): string =>
  `${shortOf(verdict)}${failingTest === undefined ? '' : ` at test ${failingTest + 1}`}${detail === '' ? '' : `: ${detail}`}`;

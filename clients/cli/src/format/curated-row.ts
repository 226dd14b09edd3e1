import type { Json } from '../gateway-client.ts';
import { nameOf } from './problem-name.ts';
import { type Column, cut } from './table.ts';

/** Columns of a curated problem in lists. */
export const curatedColumns: readonly Column[] = [
  { heading: 'rank', align: 'right' },
  { heading: 'bin' },
  { heading: 'value', align: 'right' },
  { heading: 'passed', align: 'right' },
  { heading: 'pass rate' },
  { heading: 'problem' },
  { heading: 'title' },
];

/** A curated problem as a row: a rate never stands without its interval, nor a placement by the prior unmarked. */
export function curatedRow(problem: Json): string[] {
  const interval = (problem.interval ?? undefined) as { low: number; high: number } | undefined;
  const range = interval === undefined ? '' : ` (${rate(interval.low)}-${rate(interval.high)})`;
  return [
    String(problem.rank),
    `${String(problem.bin)}${problem.predicted === true ? ' (predicted)' : ''}${problem.retest === true ? ' (retest)' : ''}`,
    Number(problem.value).toFixed(3),
    `${String(problem.passes)}/${String(problem.attempts)}`,
    `${rate(Number(problem.mean))}${range}`,
    String(problem.problem_id),
    cut(nameOf(problem), 40),
  ];
}

const rate = (value: number): string => value.toFixed(2).replace(/^0/, '');

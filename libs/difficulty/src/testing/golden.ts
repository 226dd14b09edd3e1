import { readFileSync } from 'node:fs';

interface Golden {
  readonly passAtK: readonly { n: number; c: number; k: number; value: number }[];
  readonly incompleteBeta: readonly { a: number; b: number; x: number; lower: number; upper: number }[];
  readonly quantile: readonly { a: number; b: number; mass: number; value: number }[];
  readonly highestDensity: readonly { a: number; b: number; mass: number; value: [number, number] }[];
  readonly wilson: readonly { c: number; n: number; value: [number, number] }[];
  readonly logBeta: readonly { a: number; b: number; value: number }[];
}

/** Values written by `golden/generate.py` with SciPy and exact fractions. */
export const golden = JSON.parse(readFileSync(new URL('../../golden/golden.json', import.meta.url), 'utf8')) as Golden;

/** Relative error; absolute where the expected value is too small to be represented well. */
export function errorOf(actual: number, expected: number): number {
  if (actual === expected) return 0;
  return Math.abs(actual - expected) / Math.max(Math.abs(expected), 1e-290);
}

/** The rows whose error exceeds the tolerance, worst first, printed when an expectation on them fails. */
export function beyond<Row>(
  rows: readonly Row[],
  tolerance: number,
  error: (row: Row) => number,
): { row: Row; error: number }[] {
  return rows
    .map((row) => ({ row, error: error(row) }))
    .filter(({ error: e }) => !(e <= tolerance))
    .sort((p, q) => q.error - p.error);
}

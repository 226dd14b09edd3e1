/** What a file `bench/<name>.bench.ts` exports as `bench`: one question, measured in one run. */
export interface Bench {
  /** The question, in one sentence. */
  readonly asks: string;
  /** Measures; keys are named with their unit (`rowsPerSecond`, `ratio`). Comparisons belong into one run, side by side. */
  measure(): Promise<BenchValues>;
}

/** Numbers by name; a repeated measurement as a {@link Spread}. */
export type BenchValues = Readonly<Record<string, number | string | Spread>>;

/** Of repeated measurements: the middle one, and how far they lay apart. */
export interface Spread {
  readonly median: number;
  readonly least: number;
  readonly most: number;
  readonly runs: number;
}

/** @throws {RangeError} for no measurement at all */
export function spreadOf(measured: readonly number[]): Spread {
  const sorted = measured.toSorted((one, other) => one - other);
  const [least, median, most] = [sorted[0], sorted[Math.floor(sorted.length / 2)], sorted.at(-1)];
  if (least === undefined || median === undefined || most === undefined) throw new RangeError('nothing was measured');
  return { median: round(median), least: round(least), most: round(most), runs: sorted.length };
}

/** Three significant digits: more would claim a precision that no run here has. */
export function round(value: number): number {
  return Number(value.toPrecision(3));
}

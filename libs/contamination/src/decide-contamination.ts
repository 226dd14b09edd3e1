import { similarity } from './grams.ts';

/** A benchmark problem that shares grams with the problem at hand. */
export interface BenchmarkMatch {
  readonly benchmark: string;
  /** Id within the benchmark. */
  readonly itemId: string;
  readonly itemGrams: number;
  /** Distinct grams in common. */
  readonly shared: number;
  /** Similarity above which this benchmark rejects, 0 to 1. */
  readonly threshold: number;
}

export type Contamination =
  | { readonly kind: 'clean'; readonly closest: Overlap | undefined }
  | { readonly kind: 'contaminated'; readonly by: Overlap };

export interface Overlap {
  readonly benchmark: string;
  readonly itemId: string;
  readonly similarity: number;
}

/**
 * The maximum over benchmark problems counts; above its benchmark's threshold the problem is contaminated. Of equal
 * maxima the first by (benchmark, item) is named, so that order of arrival does not show.
 *
 * @param grams number of the problem's own distinct grams
 */
export function decideContamination(grams: number, matches: readonly BenchmarkMatch[]): Contamination {
  const overlaps = matches
    .map((match) => ({ match, similarity: similarity(match.shared, grams, match.itemGrams) }))
    .sort(
      (a, b) =>
        b.similarity - a.similarity ||
        compare(a.match.benchmark, b.match.benchmark) ||
        compare(a.match.itemId, b.match.itemId),
    );
  const above = overlaps.find((one) => one.similarity > one.match.threshold);
  if (above) return { kind: 'contaminated', by: overlapOf(above) };
  return { kind: 'clean', closest: overlaps[0] && overlapOf(overlaps[0]) };
}

function overlapOf(one: { match: BenchmarkMatch; similarity: number }): Overlap {
  return { benchmark: one.match.benchmark, itemId: one.match.itemId, similarity: one.similarity };
}

function compare(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}

import type { Overlap } from '@tidemark/contamination';
import { unitFraction } from '@tidemark/identity';

export type SplitSide = 'train' | 'held_out';

/** A problem of a cluster, as far as its standing depends on it. */
export interface Member {
  readonly problemId: string;
  readonly version: number;
  /** When the source published it, in ms since 1970; undefined counts as latest. */
  readonly publishedMs: number | undefined;
  /** Its overlap with a benchmark, when that rejects it. */
  readonly contamination: Overlap | undefined;
  /** Highest version that another stage rejected or withdrew; 0 for none. */
  readonly excludedVersion: number;
  /** Some version of it was published as train: trainers may have seen it. */
  readonly seenAsTrain: boolean;
}

export interface ClusterRules {
  readonly splitSeed: string;
  /** 0 to 1. */
  readonly heldOutShare: number;
}

/** Where a member stands. */
export type Standing =
  | { readonly kind: 'represents' }
  | { readonly kind: 'duplicate'; readonly of: string }
  | { readonly kind: 'contaminated'; readonly by: Overlap }
  /** Another stage's word ends it; dedup says nothing more. */
  | { readonly kind: 'excluded' };

export interface ClusterDecision {
  readonly founderId: string;
  /** Undefined as long as nothing was published. */
  readonly split: SplitSide | undefined;
  readonly standings: ReadonlyMap<string, Standing>;
}

/**
 * Decides who represents a cluster of exact duplicates: the least by (source date, problem id) of those that nothing
 * speaks against. Depends on the set of members alone, never on the order in which they came.
 *
 * @param members at least one
 * @param statementSha256 of the members' statement, by which their side is drawn
 * @param fixedSplit the side that was drawn when a problem with this statement was first published
 */
export function decideCluster(
  members: readonly Member[],
  statementSha256: string,
  fixedSplit: SplitSide | undefined,
  rules: ClusterRules,
): ClusterDecision {
  const ordered = [...members].sort(byDateThenId);
  const founder = ordered[0];
  if (founder === undefined) throw new RangeError('a cluster has at least one member');
  const representative = ordered.find((member) => member.contamination === undefined && !isExcluded(member));
  const standings = new Map<string, Standing>();
  for (const member of ordered) standings.set(member.problemId, standingOf(member, representative));
  const split = representative === undefined ? fixedSplit : splitOf(ordered, statementSha256, fixedSplit, rules);
  return { founderId: founder.problemId, split, standings };
}

function standingOf(member: Member, representative: Member | undefined): Standing {
  if (isExcluded(member)) return { kind: 'excluded' };
  if (member.contamination !== undefined) return { kind: 'contaminated', by: member.contamination };
  if (representative === undefined || representative === member) return { kind: 'represents' };
  return { kind: 'duplicate', of: representative.problemId };
}

/**
 * What trainers saw is never put into the exam; otherwise a side once drawn stays. It is drawn by the statement, so that
 * a text that comes with other tests falls on the same side, in whatever order the two come.
 */
function splitOf(
  members: readonly Member[],
  statementSha256: string,
  fixed: SplitSide | undefined,
  rules: ClusterRules,
): SplitSide {
  if (members.some((member) => member.seenAsTrain)) return 'train';
  if (fixed !== undefined) return fixed;
  return unitFraction('split', rules.splitSeed, statementSha256) < rules.heldOutShare ? 'held_out' : 'train';
}

const isExcluded = (member: Member): boolean => member.excludedVersion >= member.version;

function byDateThenId(left: Member, right: Member): number {
  const dates = (left.publishedMs ?? Number.POSITIVE_INFINITY) - (right.publishedMs ?? Number.POSITIVE_INFINITY);
  // Two unknown dates differ by NaN.
  if (dates < 0 || dates > 0) return dates;
  return left.problemId < right.problemId ? -1 : 1;
}

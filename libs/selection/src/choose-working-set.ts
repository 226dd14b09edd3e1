import type { Candidate } from './candidate.ts';
import { drawOf } from './draw.ts';
import { type Appraisal, appraiseByEdge } from './edge-policy.ts';
import type { SelectionSettings } from './settings.ts';

/** A problem of the working set. */
export interface Member {
  readonly candidate: Candidate;
  readonly value: number;
  readonly mixedProbability: number;
  readonly retest: boolean;
}

/** Where a ready problem of the training side stands for a target. */
export interface WorkingSet {
  /** Best first. */
  readonly members: readonly Member[];
  /** Mastered or unsolved, and not drawn for a retest: out until something changes. */
  readonly setAside: readonly string[];
  /** Offered, but outside the bounds of the set or of the synthetic share. */
  readonly reserve: readonly string[];
}

/**
 * Chooses a target's working set: appraise each candidate, rank by value, take from the top within the size of the set
 * and the cap on synthetic problems. Equal values are ordered by a draw, so that ties favour no source.
 *
 * The cap is on the set as chosen: of n members at most floor(share x n) are synthetic.
 */
export function chooseWorkingSet(
  candidates: readonly Candidate[],
  settings: SelectionSettings,
  target: { readonly slug: string; readonly checkpoint: string },
): WorkingSet {
  const setAside: string[] = [];
  const offered: (Member & { readonly tie: number })[] = [];
  for (const candidate of candidates) {
    const appraisal: Appraisal = appraiseByEdge(candidate, settings, target);
    if (appraisal.kind === 'set aside') {
      setAside.push(candidate.problemId);
      continue;
    }
    const { value, mixedProbability, retest } = appraisal;
    offered.push({ candidate, value, mixedProbability, retest, tie: drawOf('tie', target.slug, candidate.problemId) });
  }
  offered.sort((a, b) => b.value - a.value || a.tie - b.tie);

  const syntheticLimit = syntheticAllowance(offered, settings);
  const members: Member[] = [];
  const reserve: string[] = [];
  let synthetic = 0;
  for (const { tie: _, ...member } of offered) {
    const full = members.length >= settings.workingSet;
    const capped = member.candidate.synthetic && synthetic >= syntheticLimit;
    if (full || capped) {
      reserve.push(member.candidate.problemId);
      continue;
    }
    if (member.candidate.synthetic) synthetic++;
    members.push(member);
  }
  return { members, setAside, reserve };
}

/** Most synthetic problems that keep their share of the whole set at or below the cap. */
function syntheticAllowance(offered: readonly Member[], { syntheticShare, workingSet }: SelectionSettings): number {
  if (syntheticShare >= 1) return offered.length;
  const real = offered.filter((member) => !member.candidate.synthetic).length;
  const ofFullSet = Math.floor(syntheticShare * workingSet);
  // s <= share x (real + s)  <=>  s <= real x share / (1 - share)
  const besideReal = Math.floor((real * syntheticShare) / (1 - syntheticShare) + 1e-9);
  return Math.min(ofFullSet, besideReal);
}

import type { Candidate } from './candidate.ts';
import { drawOf } from './draw.ts';
import { mixedProbability } from './mixed-probability.ts';
import type { SelectionSettings } from './settings.ts';

/** What a policy makes of one candidate. */
export type Appraisal =
  | {
      readonly kind: 'offered';
      /** Rank by this, highest first; at least 0. */
      readonly value: number;
      readonly mixedProbability: number;
      /** Mastered or unsolved, and drawn for a retest. */
      readonly retest: boolean;
    }
  | { readonly kind: 'set aside'; readonly bin: 'mastered' | 'unsolved' };

/** Weight of a retest: a drawn problem ranks by its chance of mixed outcomes, as any other does. */
const RETEST_WEIGHT = 1;

/**
 * The policy `edge`: value = P(mixed outcomes of a group) x weight of the bin. Mastered and unsolved problems are set
 * aside, but for a share that is drawn for a retest; the draw is fixed per target, problem and checkpoint.
 *
 * @param target slug and newest checkpoint, the seed of the draw
 */
export function appraiseByEdge(
  candidate: Candidate,
  settings: SelectionSettings,
  target: { readonly slug: string; readonly checkpoint: string },
): Appraisal {
  const mixed = mixedProbability(candidate.alpha, candidate.beta, settings.groupSize);
  if (candidate.bin === 'mastered' || candidate.bin === 'unsolved') {
    const rate = candidate.checkpointIsNewer ? settings.retestRateNewCheckpoint : settings.retestRate;
    const drawn = drawOf('retest', target.slug, target.checkpoint, candidate.problemId) < rate;
    if (!drawn) return { kind: 'set aside', bin: candidate.bin };
    return { kind: 'offered', value: mixed * RETEST_WEIGHT, mixedProbability: mixed, retest: true };
  }
  const value = mixed * settings.binWeights[candidate.bin];
  return { kind: 'offered', value, mixedProbability: mixed, retest: false };
}

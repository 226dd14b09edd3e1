import { DEFAULT_BIN_SETTINGS, FLAT_PRIOR } from '@tidemark/difficulty';
import { describe, expect, it } from 'vitest';
import {
  decideEstimates,
  type EvaluationRules,
  type ProblemEvidence,
  type StoredEstimate,
} from './decide-estimates.ts';

const rules: EvaluationRules = {
  targetVersion: 1,
  prior: FLAT_PRIOR,
  retention: 0.9,
  bins: DEFAULT_BIN_SETTINGS,
  intervalLevel: 0.95,
};
const evidence = (attempts: number, passes: number, rest: Partial<ProblemEvidence> = {}): ProblemEvidence => ({
  problemId: 'p',
  problemVersion: 1,
  suiteHash: 's',
  buckets: [{ age: 0, attempts, passes }],
  newestCheckpoint: 'step-1',
  truncated: 0,
  environment: 0,
  ...rest,
});
const decide = (problem: ProblemEvidence, stored?: StoredEstimate, with_: Partial<EvaluationRules> = {}) =>
  decideEstimates([problem], new Map(stored ? [['p', stored]] : []), { ...rules, ...with_ });
const first = (problem: ProblemEvidence, stored?: StoredEstimate) => {
  const [estimate] = decide(problem, stored).changed;
  if (!estimate) throw new Error('nothing changed');
  return estimate;
};

describe('estimates of an evaluation', () => {
  it('hold posterior, counts, mean, interval, bin and the reason', () => {
    const estimate = first(evidence(16, 16));
    expect(estimate).toMatchObject({
      alpha: 17,
      beta: 1,
      attempts: 16,
      passes: 16,
      mean: 17 / 18,
      bin: 'mastered',
      predicted: false,
      reason: 'mass_exceeds_enter',
      previousBin: undefined,
    });
    expect(estimate.interval.high).toBe(1);
    expect(estimate.interval.low).toBeCloseTo(0.05 ** (1 / 17), 9);
  });

  it('say nothing of a problem that has not changed', () => {
    const stored = first(evidence(16, 6));
    expect(decide(evidence(16, 6), stored)).toEqual({ changed: [], vanished: [] });
  });

  it('tell of new counts that change no posterior: truncated answers, environment failures', () => {
    const stored = first(evidence(16, 6));
    expect(decide(evidence(16, 6, { environment: 2 }), stored).changed).toHaveLength(1);
  });

  it('name the bin before when a problem moves', () => {
    const medium = first(evidence(16, 6));
    expect(first(evidence(64, 60), medium)).toMatchObject({ bin: 'mastered', previousBin: 'medium' });
  });

  it('keep the bin when too few attempts have arrived', () => {
    const medium = first(evidence(16, 6));
    expect(first(evidence(17, 7), medium)).toMatchObject({ bin: 'medium', reason: 'kept' });
  });

  it('begin afresh with a new version of the problem or of the target', () => {
    const mastered = first(evidence(16, 16));
    const again = evidence(2, 1, { problemVersion: 2 });
    expect(first(again, mastered)).toMatchObject({ bin: 'medium', predicted: true, previousBin: undefined });
    expect(decide(evidence(2, 1), mastered, { targetVersion: 2 }).changed[0]).toMatchObject({ predicted: true });
  });

  it('leave when no evidence is in force any more, and stay silent where there never was any', () => {
    const stored = first(evidence(16, 6));
    const none = evidence(0, 0, { buckets: [] });
    expect(decide(none, stored)).toEqual({ changed: [], vanished: ['p'] });
    expect(decide(none)).toEqual({ changed: [], vanished: [] });
  });

  it('do not take environment failures alone for a measurement', () => {
    expect(decide(evidence(0, 0, { environment: 8 }))).toEqual({ changed: [], vanished: [] });
  });
});

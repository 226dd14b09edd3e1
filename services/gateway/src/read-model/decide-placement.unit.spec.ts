import { describe, expect, it } from 'vitest';
import { decidePlacement, type TargetFacts } from './decide-placement.ts';

const selection = { syntheticShare: 0, binWeights: { hard: 1, medium: 1, easy: 0.3 }, workingSet: 100, curated: 10 };
const facts = (given: Partial<TargetFacts> = {}): TargetFacts => ({
  inPanel: false,
  curated: undefined,
  measured: undefined,
  synthetic: false,
  selection,
  ...given,
});
const full = { ...selection, curated: 100 };

describe('a ready problem in reserve', () => {
  it.each<[string, Partial<TargetFacts>, string]>([
    ['before select has chosen', {}, 'not_chosen_yet'],
    ['while others fill the set', { selection: full }, 'outranked'],
    ['made by a generator where none is taken', { synthetic: true }, 'synthetic_share'],
    ['made by a generator, although the set is full too', { synthetic: true, selection: full }, 'synthetic_share'],
    [
      'made by a generator beyond the share',
      { synthetic: true, selection: { ...selection, syntheticShare: 0.2 } },
      'synthetic_share',
    ],
    [
      'made by a generator where any share is taken',
      { synthetic: true, selection: { ...selection, syntheticShare: 1 } },
      'not_chosen_yet',
    ],
    [
      'of a bin without weight',
      { measured: { bin: 'easy' }, selection: { ...selection, binWeights: { easy: 0 } } },
      'bin_weight',
    ],
  ])('%s', (_, given, reason) => {
    expect(decidePlacement(facts(given))).toMatchObject({ kind: 'reserve', reason });
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { betaFromMean, FLAT_PRIOR } from './beta.ts';
import {
  BINS,
  type Bin,
  binMasses,
  binOfRate,
  binSettingsFaults,
  binSettingsOf,
  DEFAULT_BIN_SETTINGS as settings,
} from './bins.ts';
import { type BinEvidence, decideBin, type Standing } from './move.ts';
import { posteriorOf } from './posterior.ts';

const measured = (attempts: number, passes: number, prior = FLAT_PRIOR): BinEvidence => ({
  prior,
  posterior: posteriorOf(prior, [{ age: 0, attempts, passes }]).distribution,
  attempts,
  passes,
});
const standing = (bin: Bin, predicted = false): Standing => ({ bin, predicted });
const evidence = fc
  .integer({ min: 0, max: 64 })
  .chain((n) => fc.tuple(fc.constant(n), fc.integer({ min: 0, max: n })))
  .map(([n, c]) => measured(n, c));
const anyStanding = fc.option(fc.record({ bin: fc.constantFrom(...BINS), predicted: fc.boolean() }), {
  nil: undefined,
});

describe('bins', () => {
  it('hold the rates of the table, a cut point belonging to the easier bin', () => {
    expect([0, 0.124, 0.125, 0.5, 0.625, 0.89, 0.9, 1].map((rate) => binOfRate(rate, settings))).toEqual([
      'hard',
      'hard',
      'medium',
      'medium',
      'easy',
      'easy',
      'mastered',
      'mastered',
    ]);
  });

  it('share out the whole posterior', () => {
    const shape = fc.double({ min: 0.05, max: 2000, noNaN: true });
    fc.assert(
      fc.property(shape, shape, (alpha, beta) => {
        const masses = Object.values(binMasses({ alpha, beta }, settings));
        for (const mass of masses) expect(mass).toBeGreaterThanOrEqual(0);
        expect(masses.reduce((sum, mass) => sum + mass, 0)).toBeCloseTo(1, 12);
      }),
    );
  });

  it('say why settings cannot be used', () => {
    expect(binSettingsFaults(settings)).toEqual([]);
    expect(binSettingsFaults({ ...settings, easy: 0.95 })).toHaveLength(1);
    expect(binSettingsFaults({ ...settings, enter: 0.4, unsolvedAttempts: 0 })).toHaveLength(2);
  });
});

describe('deciding a bin', () => {
  it('places an unmeasured problem by its prior mean, as predicted', () => {
    expect(decideBin(undefined, measured(0, 0, betaFromMean(0.8, 4)), settings)).toMatchObject({
      bin: 'easy',
      predicted: true,
      reason: 'placed_by_prior',
      moved: false,
    });
  });

  it('keeps the bin when too few attempts have arrived', () => {
    expect(decideBin(standing('medium'), measured(4, 4), settings)).toMatchObject({ bin: 'medium', reason: 'kept' });
  });

  it('reaches mastered from a flat prior with two all-pass groups of 8, not with one', () => {
    expect(decideBin(undefined, measured(8, 8), settings).bin).not.toBe('mastered');
    const decision = decideBin(standing('medium', true), measured(16, 16), settings);
    expect(decision).toMatchObject({ bin: 'mastered', predicted: false, reason: 'mass_exceeds_enter', moved: true });
    expect(decision.masses.mastered).toBeCloseTo(0.833, 3);
  });

  it('confirms a prediction without moving', () => {
    expect(decideBin(standing('medium', true), measured(16, 6), settings)).toMatchObject({
      bin: 'medium',
      predicted: false,
      reason: 'mass_exceeds_enter',
      moved: false,
    });
  });

  it('calls a hard problem without a pass unsolved from the eighth attempt', () => {
    const prior = betaFromMean(0.05, 10);
    expect(decideBin(undefined, measured(7, 0, prior), settings).bin).toBe('hard');
    expect(decideBin(undefined, measured(8, 0, prior), settings)).toMatchObject({ bin: 'unsolved', reason: 'no_pass' });
  });

  it('lets the first pass out of unsolved', () => {
    expect(decideBin(standing('unsolved'), measured(32, 1), settings)).toMatchObject({
      bin: 'hard',
      reason: 'first_pass',
      moved: true,
    });
    // Too little mass for any bin: the pass alone leads to hard.
    expect(decideBin(standing('unsolved'), measured(9, 1), settings)).toMatchObject({
      bin: 'hard',
      reason: 'first_pass',
      moved: true,
    });
  });

  it('returns an unsolved problem to hard when its evidence leaves force', () => {
    expect(decideBin(standing('unsolved'), measured(4, 0), settings)).toMatchObject({
      bin: 'hard',
      reason: 'evidence_shrank',
    });
  });

  it('keeps a measured bin that no other overtakes, whatever the prior', () => {
    expect(decideBin(standing('easy'), measured(8, 5), settings)).toMatchObject({ bin: 'easy', reason: 'kept' });
  });

  it('is idempotent: the same evidence again moves nothing', () => {
    fc.assert(
      fc.property(anyStanding, evidence, (before, seen) => {
        const first = decideBin(before, seen, settings);
        const again = decideBin(first, seen, settings);
        expect({ bin: again.bin, predicted: again.predicted, moved: again.moved }).toEqual({
          bin: first.bin,
          predicted: first.predicted,
          moved: false,
        });
      }),
    );
  });

  it('is unsolved only without a pass and with enough attempts, and never moves without mass or count', () => {
    fc.assert(
      fc.property(anyStanding, evidence, (before, seen) => {
        const decision = decideBin(before, seen, settings);
        if (decision.bin === 'unsolved') {
          expect(seen.passes).toBe(0);
          expect(seen.attempts).toBeGreaterThanOrEqual(settings.unsolvedAttempts);
        }
        if (decision.moved && decision.reason === 'mass_exceeds_enter' && decision.bin !== 'unsolved')
          expect(decision.masses[decision.bin]).toBeGreaterThan(settings.enter);
      }),
    );
  });
});

describe('declared settings', () => {
  it('take the default for what is missing or 0, and keep the rest', () => {
    expect(binSettingsOf(undefined)).toEqual({
      mastered: 0.9,
      easy: 0.625,
      medium: 0.125,
      enter: 0.7,
      unsolvedAttempts: 8,
    });
    expect(binSettingsOf({ mastered: 0.95, easy: 0, enter: 0.8 })).toEqual({
      mastered: 0.95,
      easy: 0.625,
      medium: 0.125,
      enter: 0.8,
      unsolvedAttempts: 8,
    });
  });
});

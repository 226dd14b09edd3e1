import type { Beta } from './beta.ts';
import { incompleteBeta, incompleteBetaUpper } from './incomplete-beta.ts';

/** From what the model always does to what it has never done. `unsolved` is the part of `hard` without any pass. */
export const BINS = ['mastered', 'easy', 'medium', 'hard', 'unsolved'] as const;

/** How hard a problem is for a target: a range of pass rates, and for `unsolved` also a count. */
export type Bin = (typeof BINS)[number];

/** The bins that are ranges of the pass rate; together they cover 0 … 1 once. */
export type RateBin = Exclude<Bin, 'unsolved'>;

/** Where a target's bins begin and when a problem moves. */
export interface BinSettings {
  /** Least pass rate of `mastered`. Default .9. */
  readonly mastered: number;
  /** Least pass rate of `easy`. Default .625: 5 of 8, or the paper's 3 of 4. */
  readonly easy: number;
  /** Least pass rate of `medium`; below it lies `hard`. Default .125: 1 of 8. */
  readonly medium: number;
  /** A problem moves to a bin whose posterior mass exceeds this. Default .7; at least .5, so that one bin at most can. */
  readonly enter: number;
  /** A hard problem without a pass in this many attempts of the evidence in force is `unsolved`. Default 8. */
  readonly unsolvedAttempts: number;
}

/** Cut points of MicroCoder's categories (3-4 of 4 easy, 1-2 medium, 0 hard), and `mastered` from .9. */
export const DEFAULT_BIN_SETTINGS: BinSettings = {
  mastered: 0.9,
  easy: 0.625,
  medium: 0.125,
  enter: 0.7,
  unsolvedAttempts: 8,
};

/** A target's settings as declared: what is missing or 0 was not set and takes its default. */
export function binSettingsOf(declared: Partial<BinSettings> | undefined): BinSettings {
  return {
    mastered: declared?.mastered || DEFAULT_BIN_SETTINGS.mastered,
    easy: declared?.easy || DEFAULT_BIN_SETTINGS.easy,
    medium: declared?.medium || DEFAULT_BIN_SETTINGS.medium,
    enter: declared?.enter || DEFAULT_BIN_SETTINGS.enter,
    unsolvedAttempts: declared?.unsolvedAttempts || DEFAULT_BIN_SETTINGS.unsolvedAttempts,
  };
}

/**
 * Checks a target's settings.
 *
 * @returns the reasons why they can't be used; empty when they can
 */
export function binSettingsFaults(settings: BinSettings): string[] {
  const faults: string[] = [];
  const { mastered, easy, medium, enter, unsolvedAttempts } = settings;
  if (!(0 < medium && medium < easy && easy < mastered && mastered < 1))
    faults.push(`cut points must rise within 0 … 1: medium ${medium}, easy ${easy}, mastered ${mastered}`);
  if (!(enter >= 0.5 && enter < 1)) faults.push(`enter must be at least .5 and below 1, got ${enter}`);
  if (!(Number.isInteger(unsolvedAttempts) && unsolvedAttempts >= 1))
    faults.push(`unsolvedAttempts must be an integer of at least 1, got ${unsolvedAttempts}`);
  return faults;
}

/** The bin whose range holds the pass rate; a rate on a cut point belongs to the easier bin. */
export function binOfRate(rate: number, settings: BinSettings): RateBin {
  if (rate >= settings.mastered) return 'mastered';
  if (rate >= settings.easy) return 'easy';
  if (rate >= settings.medium) return 'medium';
  return 'hard';
}

/** Probability of each range of rates; the four sum to 1. */
export type BinMasses = Readonly<Record<RateBin, number>>;

/** How much of the distribution lies in each bin's range, by the regularised incomplete beta function. */
export function binMasses({ alpha, beta }: Beta, settings: BinSettings): BinMasses {
  const belowMedium = incompleteBeta(settings.medium, alpha, beta);
  const belowEasy = incompleteBeta(settings.easy, alpha, beta);
  const mastered = incompleteBetaUpper(settings.mastered, alpha, beta);
  return {
    mastered,
    easy: Math.max(0, 1 - mastered - belowEasy),
    medium: Math.max(0, belowEasy - belowMedium),
    hard: belowMedium,
  };
}

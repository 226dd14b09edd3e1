import { type BinSettings, DEFAULT_BIN_SETTINGS } from '@tidemark/difficulty';
import type { TargetDeclared } from '@tidemark/proto';
import { defaultSelectionSettings, type SelectionSettings } from '@tidemark/selection';

/** How the target wants its problems chosen; what it leaves open takes the default. */
export function selectionSettingsOf(target: TargetDeclared): SelectionSettings {
  const defaults = defaultSelectionSettings;
  const asked = target.selection;
  const weight = (bin: 'easy' | 'medium' | 'hard') => asked?.binWeights[bin] ?? defaults.binWeights[bin];
  return {
    groupSize: target.groupSize || defaults.groupSize,
    binWeights: { easy: weight('easy'), medium: weight('medium'), hard: weight('hard') },
    retestRate: asked?.retestRate ?? defaults.retestRate,
    retestRateNewCheckpoint: asked?.retestRateNewCheckpoint ?? defaults.retestRateNewCheckpoint,
    syntheticShare: asked?.syntheticShare ?? defaults.syntheticShare,
    workingSet: asked?.workingSet || defaults.workingSet,
  };
}

/** Where the target's bins begin. */
export function binSettingsOf(target: TargetDeclared): BinSettings {
  const asked = target.bins;
  if (asked === undefined) return DEFAULT_BIN_SETTINGS;
  return {
    mastered: asked.mastered || DEFAULT_BIN_SETTINGS.mastered,
    easy: asked.easy || DEFAULT_BIN_SETTINGS.easy,
    medium: asked.medium || DEFAULT_BIN_SETTINGS.medium,
    enter: asked.enter || DEFAULT_BIN_SETTINGS.enter,
    unsolvedAttempts: asked.unsolvedAttempts || DEFAULT_BIN_SETTINGS.unsolvedAttempts,
  };
}

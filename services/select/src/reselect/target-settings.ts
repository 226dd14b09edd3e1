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

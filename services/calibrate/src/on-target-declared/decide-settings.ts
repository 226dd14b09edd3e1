import { type BinSettings, binSettingsFaults, binSettingsOf, DEFAULT_RETENTION } from '@tidemark/difficulty';
import type { TargetDeclared } from '@tidemark/proto';

/** G when a target states none. */
const DEFAULT_GROUP_SIZE = 8;

/** What calibration needs of a target's version. */
export interface TargetSettings {
  readonly target: string;
  readonly version: number;
  readonly groupSize: number;
  /** The target names an endpoint that can be asked for attempts. */
  readonly hasEndpoint: boolean;
  /** Weight of a checkpoint's evidence per checkpoint of age, 0 to 1. */
  readonly retention: number;
  readonly bins: BinSettings;
}

export type Settings =
  | { readonly kind: 'usable'; readonly settings: TargetSettings }
  | { readonly kind: 'unusable'; readonly faults: readonly string[] };

/** Reads a declaration; a number that is 0 was not set and takes its default. */
export function decideSettings(declared: TargetDeclared): Settings {
  const bins = binSettingsOf(declared.bins);
  const retention = declared.retention || DEFAULT_RETENTION;
  const faults = binSettingsFaults(bins);
  if (!(retention > 0 && retention <= 1)) faults.push(`retention must be above 0 and at most 1, got ${retention}`);
  if (declared.target === '' || declared.version === 0) faults.push('target and version must be set');
  if (faults.length > 0) return { kind: 'unusable', faults };
  return {
    kind: 'usable',
    settings: {
      target: declared.target,
      version: declared.version,
      groupSize: declared.groupSize || DEFAULT_GROUP_SIZE,
      hasEndpoint: declared.endpointUrl !== '',
      retention,
      bins,
    },
  };
}

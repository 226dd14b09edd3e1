import { DEFAULT_BIN_SETTINGS } from '@tidemark/difficulty';
import { describe, expect, it } from 'vitest';
import { declared } from '../testing/events.ts';
import { decideSettings } from './decide-settings.ts';

describe('settings of a target', () => {
  it('take their defaults where nothing is set', () => {
    expect(decideSettings(declared({ retention: 0, groupSize: 0 }))).toEqual({
      kind: 'usable',
      settings: {
        target: 'line-a',
        version: 1,
        groupSize: 8,
        hasEndpoint: false,
        retention: 0.9,
        bins: DEFAULT_BIN_SETTINGS,
      },
    });
  });

  it('are those of the declaration', () => {
    const bins = { mastered: 0.95, easy: 0.7, medium: 0.2, enter: 0.8, unsolvedAttempts: 16 };
    expect(decideSettings(declared({ retention: 0.5, bins, endpointUrl: 'http://127.0.0.1:1/v1' }))).toMatchObject({
      settings: { retention: 0.5, bins, hasEndpoint: true },
    });
  });

  it('are refused with every reason', () => {
    const decision = decideSettings(declared({ retention: 2, bins: { medium: 0.7, enter: 0.2 } }));
    expect(decision).toMatchObject({ kind: 'unusable' });
    expect(decision.kind === 'unusable' && decision.faults).toHaveLength(3);
  });
});

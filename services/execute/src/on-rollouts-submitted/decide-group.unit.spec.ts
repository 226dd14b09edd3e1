import { describe, expect, it } from 'vitest';
import { decideGroup } from './decide-group.ts';

describe('a group of attempts', () => {
  it('is graded by the suite of its version', () => {
    expect(decideGroup({ targetKnown: true, judgedVersion: 2 })).toEqual({ kind: 'grade', version: 2 });
  });

  it('waits for its target and for its problem', () => {
    expect(decideGroup({ targetKnown: false, judgedVersion: 2 })).toEqual({ kind: 'park', missing: 'target' });
    expect(decideGroup({ targetKnown: true, judgedVersion: 0 })).toEqual({ kind: 'park', missing: 'problem' });
  });
});

import { describe, expect, it } from 'vitest';
import { decideGroup } from './decide-group.ts';

describe('a group of attempts', () => {
  it('is graded by the suite of its version, however many wait', () => {
    expect(decideGroup({ targetKnown: true, judgedVersion: 2 }, 10, 10)).toEqual({ kind: 'grade', version: 2 });
  });

  it('waits for its target and for its problem', () => {
    expect(decideGroup({ targetKnown: false, judgedVersion: 2 }, 0, 10)).toEqual({ kind: 'park', missing: 'target' });
    expect(decideGroup({ targetKnown: true, judgedVersion: 0 }, 9, 10)).toEqual({ kind: 'park', missing: 'problem' });
  });

  it('is refused when its submitter has too many waiting', () => {
    expect(decideGroup({ targetKnown: true, judgedVersion: 0 }, 10, 10)).toMatchObject({ code: 'too_many_waiting' });
  });
});

import { describe, expect, it } from 'vitest';
import type { ProblemState } from '../postgres/problems.ts';
import { decideVerification } from './decide-verification.ts';

const known = (version: number, state: ProblemState, verifiedVersion = 0) => ({ version, state, verifiedVersion });

describe('a problem that dedup lets through', () => {
  it.each([
    ['is verified when it was never seen', 1, undefined, 0, 'verify'],
    ['is verified when its version is new', 2, known(1, 'verified', 1), 0, 'verify'],
    ['is said again when only cluster or split changed', 1, known(1, 'verified', 1), 0, 'republish'],
    [
      'is said again in force also while a withdrawal stands, which consumers see',
      1,
      known(1, 'verified', 1),
      1,
      'republish',
    ],
    ['is not verified while it is withdrawn', 1, undefined, 1, 'withdrawn'],
    ['is verified when only earlier versions are withdrawn', 2, undefined, 1, 'verify'],
    ['is verified again when it had been removed', 1, known(1, 'removed'), 0, 'verify'],
    ['is verified again when it waited', 1, known(1, 'waiting'), 0, 'verify'],
    ['is not run again while it runs', 1, known(1, 'verifying'), 0, 'keep'],
    ['is not run again when it was rejected', 1, known(1, 'rejected'), 0, 'keep'],
    ['is ignored when a higher version is known', 1, known(2, 'verifying'), 0, 'superseded'],
  ] as const)('%s', (_name, version, before, withdrawn, kind) => {
    expect(decideVerification(version, before, withdrawn).kind).toBe(kind);
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Normalization } from './decide-normalization.ts';
import { decideProgress, UNKNOWN } from './decide-progress.ts';

const passes: Normalization = { kind: 'passes' };
const rejected: Normalization = { kind: 'rejected', reason: 'empty_statement', message: '' };

describe('the withdrawal of a problem by normalize', () => {
  it('stands exactly as long as its newest version is rejected and one had gone on', () => {
    const step = fc.record({ raise: fc.integer({ min: 0, max: 2 }), decision: fc.constantFrom(passes, rejected) });
    fc.assert(
      fc.property(fc.array(step, { minLength: 1 }), (steps) => {
        let known = UNKNOWN;
        let version = 1;
        let withdrawn = 0;
        let wentOn = false;
        for (const { raise, decision } of steps) {
          version += raise;
          const { withdrawal, next } = decideProgress(known, version, decision);
          // As every reader applies it: the newest record per stage counts.
          if (withdrawal !== undefined) withdrawn = withdrawal.kind === 'withdraw' ? withdrawal.upTo : 0;
          wentOn ||= decision.kind === 'passes';
          expect(withdrawn >= version).toBe(decision.kind === 'rejected' && wentOn);
          known = next;
        }
      }),
    );
  });
});

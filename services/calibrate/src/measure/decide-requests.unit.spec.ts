import { Purpose } from '@tidemark/proto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decideRequests } from './decide-requests.ts';

const wanted = (attempts: number, groupSize: number) => ({
  commandId: 'c',
  target: 'line-a',
  targetVersion: 2,
  checkpoint: 'base',
  problemId: 'p',
  version: 3,
  attempts,
  groupSize,
});

describe('requests of a measurement', () => {
  it('ask for groups of at most G for the purpose calibrate', () => {
    const requests = decideRequests(wanted(20, 8));
    expect(requests.map(({ attempts }) => attempts)).toEqual([8, 8, 4]);
    expect(requests[0]).toMatchObject({
      requestId: 'c/p/0',
      target: 'line-a',
      targetVersion: 2,
      checkpoint: 'base',
      problemId: 'p',
      version: 3,
      purpose: Purpose.CALIBRATE,
    });
  });

  it('bring exactly what was wanted, each under an id of its own', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 500 }), fc.integer({ min: 1, max: 64 }), (attempts, groupSize) => {
        const requests = decideRequests(wanted(attempts, groupSize));
        expect(requests.reduce((sum, request) => sum + request.attempts, 0)).toBe(attempts);
        expect(new Set(requests.map(({ requestId }) => requestId)).size).toBe(requests.length);
        for (const request of requests) expect(request.attempts).toBeLessThanOrEqual(groupSize);
      }),
    );
  });
});

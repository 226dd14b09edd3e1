import type { Verdict } from '@tidemark/judging';
import { describe, expect, it } from 'vitest';
import { decideOutcome, type ReferenceResult } from './decide-outcome.ts';

const ran = (verdict: Verdict, detail = '', expected?: string): ReferenceResult => ({
  sha256: 'hash',
  language: 'python',
  failingTest: verdict === 'accepted' ? '' : '2',
  failingAssertion: verdict === 'accepted' ? '' : 'assert whole',
  result: {
    verdict,
    detail,
    ...(expected === undefined ? {} : { expected }),
    testsRun: 2,
    testsPassed: 1,
    cpuTimeMs: 1,
    maxCpuTimeMs: 1,
    wallTimeMs: 1,
    memoryBytes: 1,
  },
});

describe('what the runs of references mean', () => {
  it('verifies when all that could run pass', () => {
    expect(decideOutcome([ran('accepted'), ran('language_missing')])).toEqual({ kind: 'verified' });
  });

  it('rejects with the failing assertion', () => {
    const outcome = decideOutcome([
      ran('accepted'),
      ran('wrong_answer', 'assertion 1 of 1 does not hold', 'assert f(1) == 2'),
    ]);
    expect(outcome).toMatchObject({
      kind: 'rejected',
      reason: 'reference_failed',
      message: 'Its reference solution fails its tests at test 2: wrong answer.',
    });
    expect(outcome.kind === 'rejected' && outcome.evidence[0]).toEqual({
      kind: 'failing_assertion',
      text: 'assert f(1) == 2',
    });
  });

  it('gives the whole test where no single statement is to blame', () => {
    const outcome = decideOutcome([ran('runtime_error', 'NameError: name')]);
    expect(outcome.kind === 'rejected' && outcome.evidence[0]).toEqual({
      kind: 'failing_assertion',
      text: 'assert whole',
    });
  });

  it('rejects without a reference, and when the tests do not run', () => {
    expect(decideOutcome([])).toMatchObject({ kind: 'rejected', reason: 'no_reference' });
    expect(decideOutcome([ran('checker_failure')])).toMatchObject({ kind: 'rejected', reason: 'tests_unusable' });
  });

  it('waits for a language that may come', () => {
    expect(decideOutcome([ran('language_missing')])).toMatchObject({
      kind: 'waiting',
      reason: 'language_missing',
      languages: ['python'],
    });
  });

  it.each(['sandbox_failure', 'machine_overloaded', 'cancelled'] as const)('runs again after %s', (verdict) => {
    const again = { kind: 'environment', program: 'hash', language: 'python', verdict };
    expect(decideOutcome([ran('wrong_answer'), ran(verdict)])).toMatchObject(again);
  });
});

import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { findingOf, isEvidence, Purpose, RolloutsGradedSchema, Verdict } from '@tidemark/proto';
import { describe, expect, it } from 'vitest';
import { graded, NOW_HOUR, PROBLEM, SUITE } from '../testing/events.ts';
import { decideCounting } from './decide-counting.ts';

const bucketOf = (...args: Parameters<typeof graded>) => {
  const counting = decideCounting(graded(...args));
  if (counting.kind !== 'count') throw new Error(`not counted: ${counting.kind}`);
  return counting;
};

describe('counting a graded group', () => {
  it('adds passes, failures, truncated answers and environment failures to the bucket of all its coordinates', () => {
    expect(bucketOf('g1', 'ppfte', { promptHash: 'prompt' })).toEqual({
      kind: 'count',
      groupId: 'g1',
      bucket: {
        target: 'line-a',
        targetVersion: 1,
        problemId: PROBLEM,
        problemVersion: 1,
        suiteHash: SUITE,
        judgeVersion: 'judge-1',
        checkpoint: 'base',
        purpose: Purpose.TRAIN,
        submitter: 'trainer',
        promptHash: 'prompt',
        windowHour: NOW_HOUR,
      },
      counts: { attempts: 4, passes: 2, truncated: 1, environment: 1 },
    });
  });

  it('takes an unstated purpose for training', () => {
    expect(bucketOf('g', 'p', { purpose: Purpose.UNSPECIFIED }).bucket.purpose).toBe(Purpose.TRAIN);
  });

  it('keeps the exam, canaries and whatever touches a held-out problem out of posteriors', () => {
    expect(isEvidence(bucketOf('g', 'p', { purpose: Purpose.CALIBRATE }).bucket.purpose)).toBe(true);
    expect(isEvidence(bucketOf('g', 'p', { purpose: Purpose.EVALUATE }).bucket.purpose)).toBe(false);
    expect(isEvidence(bucketOf('g', 'p', { purpose: Purpose.CANARY }).bucket.purpose)).toBe(false);
    expect(isEvidence(bucketOf('g', 'p', { purpose: Purpose.TRAIN }, { heldOut: true }).bucket.purpose)).toBe(false);
  });

  it('parks a group with a verdict of a later release, which survives the hop', () => {
    const group = graded('g', 'pp?');
    expect(decideCounting(group)).toEqual({ kind: 'park', reason: 'unknown_verdict' });
    const kept = fromBinary(RolloutsGradedSchema, toBinary(RolloutsGradedSchema, group));
    expect(kept.verdicts[2]?.verdict).toBe(99);
  });

  it('parks a purpose of a later release', () => {
    expect(decideCounting(graded('g', 'p', { purpose: 42 as Purpose }))).toEqual({
      kind: 'park',
      reason: 'unknown_purpose',
    });
  });

  it.each([
    [
      'without an identity',
      create(RolloutsGradedSchema, { verdicts: [{ verdict: Verdict.ACCEPTED }] }),
      'incomplete_group',
    ],
    ['without the version that the model saw', graded('g', 'p', { version: 0 }), 'incomplete_group'],
    ['without a verdict', graded('g', ''), 'empty_group'],
    ['with an attempt that nobody judged', graded('g', 'p0'), 'not_judged'],
  ])('refuses a group %s', (_what, group, code) => {
    expect(decideCounting(group)).toMatchObject({ kind: 'refuse', code });
  });

  it('knows what every verdict of this release says about the model', () => {
    const findings = Object.values(Verdict)
      .filter((verdict): verdict is Verdict => typeof verdict === 'number' && verdict !== Verdict.UNSPECIFIED)
      .map((verdict) => [verdict, findingOf(verdict)] as const);
    expect(findings.filter(([, finding]) => finding === 'unknown')).toEqual([]);
    // The contract: values from 32 on say nothing about the model.
    for (const [verdict, finding] of findings) expect(finding === 'environment').toBe(Number(verdict) >= 32);
    expect(findings.filter(([, finding]) => finding === 'pass')).toEqual([[Verdict.ACCEPTED, 'pass']]);
  });
});

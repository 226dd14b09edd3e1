import { create } from '@bufbuild/protobuf';
import { Purpose, RolloutsGradedSchema, Verdict } from '@tidemark/proto';
import { describe, expect, it } from 'vitest';
import { countVerdicts } from './count-group.ts';

const { ACCEPTED, WRONG_ANSWER, SANDBOX_FAILURE } = Verdict;
const graded = (verdicts: readonly (Verdict | 'truncated')[], purpose = Purpose.TRAIN, heldOut = false) =>
  create(RolloutsGradedSchema, {
    group: { groupId: 'g', purpose },
    verdicts: verdicts.map((one, index) =>
      one === 'truncated' ? { index, verdict: ACCEPTED, truncated: true } : { index, verdict: one },
    ),
    heldOut,
  });

describe('a graded group in the totals', () => {
  it('counts a truncated answer as a failed attempt, and environment failures apart', () => {
    const { totals, cells } = countVerdicts(graded([ACCEPTED, 'truncated', WRONG_ANSWER, SANDBOX_FAILURE]));
    expect(totals).toEqual({ attempts: 3, passes: 1, truncated: 1, environment: 1 });
    expect(cells).toContainEqual({ verdict: ACCEPTED, attempts: 2, truncated: 1 });
  });

  it.each([
    ['an exam', graded([ACCEPTED], Purpose.EVALUATE), Purpose.EVALUATE],
    ['a canary', graded([ACCEPTED], Purpose.CANARY), Purpose.CANARY],
    ['training on a held-out problem', graded([ACCEPTED], Purpose.TRAIN, true), Purpose.EVALUATE],
    ['a purpose of a later release', graded([ACCEPTED], 99 as Purpose), 99],
    ['a verdict of a later release', graded([ACCEPTED, 20 as Verdict]), Purpose.TRAIN],
    ['what was not judged', graded([ACCEPTED, Verdict.UNSPECIFIED]), Purpose.TRAIN],
    ['no attempt', graded([]), Purpose.TRAIN],
  ])('is not there for %s', (_, group, purpose) => {
    expect(countVerdicts(group)).toMatchObject({ totals: undefined, purpose });
  });
});

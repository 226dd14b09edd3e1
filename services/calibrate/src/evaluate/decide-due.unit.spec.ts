import { EvaluationTrigger } from '@tidemark/proto';
import { describe, expect, it } from 'vitest';
import { decideDue, type Waiting } from './decide-due.ts';

const settings = { evaluateAfterGroups: 1024, evaluateAfterSeconds: 60 };
const nothing: Waiting = { requests: [], evidenceGroups: 0, firstWaitedMs: 0 };
const request = (id: string, trigger: EvaluationTrigger, commandId = '') => ({ id, trigger, commandId });

describe('evaluation points', () => {
  it('are not reached by a few fresh groups, or by none', () => {
    expect(decideDue(nothing, settings)).toBeUndefined();
    expect(decideDue({ ...nothing, evidenceGroups: 1023, firstWaitedMs: 59_999 }, settings)).toBeUndefined();
  });

  it('are reached by 1,024 groups, or 60 s after the first', () => {
    expect(decideDue({ ...nothing, evidenceGroups: 1024 }, settings)).toMatchObject({
      trigger: EvaluationTrigger.GROUPS,
      scope: 'touched',
    });
    expect(decideDue({ ...nothing, evidenceGroups: 1, firstWaitedMs: 60_000 }, settings)).toMatchObject({
      trigger: EvaluationTrigger.TIME,
      scope: 'touched',
    });
  });

  it('are not reached by groups where both are switched off', () => {
    const off = { evaluateAfterGroups: 0, evaluateAfterSeconds: 0 };
    expect(decideDue({ ...nothing, evidenceGroups: 1e6, firstWaitedMs: 1e9 }, off)).toBeUndefined();
  });

  it('settle all waiting checkpoints and calibrations at once, the checkpoint giving the name', () => {
    const waiting = {
      ...nothing,
      requests: [request('1', EvaluationTrigger.CALIBRATION), request('2', EvaluationTrigger.CHECKPOINT)],
    };
    expect(decideDue(waiting, settings)).toEqual({
      trigger: EvaluationTrigger.CHECKPOINT,
      commandId: '',
      requestIds: ['1', '2'],
      scope: 'all',
    });
  });

  it('answer one command each, the oldest first', () => {
    const waiting = {
      ...nothing,
      requests: [
        request('3', EvaluationTrigger.COMMAND, 'c-1'),
        request('4', EvaluationTrigger.COMMAND, 'c-2'),
        request('5', EvaluationTrigger.CALIBRATION),
      ],
    };
    expect(decideDue(waiting, settings)).toEqual({
      trigger: EvaluationTrigger.COMMAND,
      commandId: 'c-1',
      requestIds: ['5', '3'],
      scope: 'all',
    });
  });
});

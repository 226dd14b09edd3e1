import { describe, expect, it } from 'vitest';
import { checkpointAges, checkpointInForce } from './checkpoint-ages.ts';

const line = [
  { checkpoint: 'step-100', ordinal: 100 },
  { checkpoint: 'step-0', ordinal: 0 },
  { checkpoint: 'step-50', ordinal: 50 },
];

describe('ages of checkpoints', () => {
  it('count checkpoints, not steps', () => {
    const age = checkpointAges(line);
    expect(['step-100', 'step-50', 'step-0'].map(age)).toEqual([0, 1, 2]);
  });

  it('take an undeclared name for older than every declared one', () => {
    expect(checkpointAges(line)('step-150')).toBe(3);
  });

  it('are 0 in a line that declares none', () => {
    expect(checkpointAges([])('base')).toBe(0);
    expect(checkpointInForce([])).toEqual({ checkpoint: 'base', ordinal: 0 });
  });

  it('put the highest ordinal in force', () => {
    expect(checkpointInForce(line).checkpoint).toBe('step-100');
  });
});

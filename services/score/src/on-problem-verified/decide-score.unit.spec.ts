import { describe, expect, it } from 'vitest';
import { decideScore } from './decide-score.ts';

const problem = {
  statement: 'Print the sum of two numbers.',
  starterCode: '',
  testForm: 'stdin',
  references: ['print(sum(map(int, input().split())))\n'],
  testCount: 2,
  cpuTimeMs: 0,
  memoryBytes: 0,
  testBytes: 30,
  publishedYear: undefined,
} as const;

describe('scoring a verified problem', () => {
  it('scores what was never scored, and a higher version', () => {
    expect(decideScore(1, undefined, problem).kind).toBe('scored');
    expect(decideScore(3, 2, problem).kind).toBe('scored');
  });

  it('scores the same version again, since a withdrawal may have been taken back', () => {
    expect(decideScore(2, 2, problem)).toEqual(decideScore(2, undefined, problem));
  });

  it('leaves a version alone that a higher one has replaced', () => {
    expect(decideScore(1, 2, problem)).toEqual({ kind: 'superseded', by: 2 });
  });
});

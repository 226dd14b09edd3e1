import { describe, expect, it } from 'vitest';
import { type Delivered, decideVerdict } from './decide-verdict.ts';
import { defaultLimits, type RunFacts } from './run-facts.ts';
import { environmentVerdicts, isAboutProgram } from './verdict.ts';

const facts: RunFacts = {
  end: { kind: 'exited', code: 0 },
  cpuTimeMs: 10,
  wallTimeMs: 20,
  memoryPeakBytes: 0,
  memoryKill: 'none',
};
const right = (): Delivered => ({ kind: 'right' });
const wrong = (): Delivered => ({ kind: 'failed', verdict: 'wrong_answer', detail: 'token 1 is "2"', expected: '"1"' });
const verdictOf = (change: Partial<RunFacts>, delivered = right) =>
  decideVerdict({ ...facts, ...change }, defaultLimits, delivered).verdict;

describe('decideVerdict', () => {
  it('accepts a clean end with the right answer', () => {
    expect(verdictOf({})).toBe('accepted');
    expect(verdictOf({}, wrong)).toBe('wrong_answer');
  });

  it('never concludes an environment failure from a code that a program can choose', () => {
    for (let code = 0; code < 256; code++) {
      for (const delivered of [right, wrong]) {
        const verdict = verdictOf({ end: { kind: 'exited', code } }, delivered);
        expect(isAboutProgram(verdict)).toBe(true);
        if (code !== 0) expect(verdict).toBe('runtime_error');
      }
    }
  });

  it('decides the time limit by measured CPU time, however the program ended', () => {
    expect(verdictOf({ cpuTimeMs: defaultLimits.cpuTimeMs + 1 })).toBe('time_limit');
    expect(verdictOf({ cpuTimeMs: defaultLimits.cpuTimeMs + 1, end: { kind: 'exited', code: 1 } })).toBe('time_limit');
    expect(verdictOf({ wallTimeMs: defaultLimits.wallTimeMs * 3 })).toBe('accepted');
  });

  it('tells a sleeper from a starved program', () => {
    expect(verdictOf({ end: { kind: 'stopped', by: 'wall' } })).toBe('time_limit');
    expect(verdictOf({ end: { kind: 'stopped', by: 'starved' } })).toBe('machine_overloaded');
  });

  it('puts memory before everything that may follow from it', () => {
    expect(verdictOf({ memoryKill: 'own_limit', cpuTimeMs: 1e9 })).toBe('memory_limit');
    expect(verdictOf({ memoryKill: 'own_limit' })).toBe('memory_limit');
  });

  it('does not blame a program for memory that others took, however it ended', () => {
    expect(verdictOf({ memoryKill: 'outside', end: { kind: 'exited', code: 137 } })).toBe('machine_overloaded');
    expect(verdictOf({ memoryKill: 'outside' }, wrong)).toBe('machine_overloaded');
    expect(verdictOf({ memoryKill: 'outside', cpuTimeMs: defaultLimits.cpuTimeMs + 1 })).toBe('time_limit');
  });

  it('says what was expected apart from what the program did', () => {
    const judgement = decideVerdict(facts, defaultLimits, wrong);
    expect(judgement.detail).not.toContain('"1"');
    expect(judgement.expected).toBe('"1"');
  });

  it('keeps the verdicts about the program and about the environment apart', () => {
    expect(environmentVerdicts.some(isAboutProgram)).toBe(false);
  });
});

import { createHash, createHmac } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  equalHex,
  groupId,
  groupIdOf,
  hashOfFields,
  hmacSha256Hex,
  InvalidIdError,
  isTargetSlug,
  problemIdOf,
  sha256Hex,
  unitFraction,
} from './index.ts';

describe('hashes', () => {
  it('agree with an independent SHA-256 and HMAC', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (key, text) => {
        expect(sha256Hex(text)).toBe(createHash('sha256').update(text, 'utf8').digest('hex'));
        expect(hmacSha256Hex(key, text)).toBe(createHmac('sha256', key).update(text, 'utf8').digest('hex'));
      }),
    );
  });

  it('tell fields apart however their characters are shared out', () => {
    expect(hashOfFields('ab', 'c')).not.toBe(hashOfFields('a', 'bc'));
    expect(hashOfFields('ab')).not.toBe(hashOfFields('ab', ''));
  });

  it('compare equal only when equal', () => {
    fc.assert(fc.property(fc.string(), fc.string(), (a, b) => equalHex(a, b) === (a === b)));
    fc.assert(fc.property(fc.string(), (a) => equalHex(a, a)));
  });

  it('spread evenly over [0, 1)', () => {
    const draws = Array.from({ length: 4000 }, (_, i) => unitFraction('seed', String(i)));
    expect(Math.min(...draws)).toBeGreaterThanOrEqual(0);
    expect(Math.max(...draws)).toBeLessThan(1);
    // 4,000 draws below .25: mean 1,000, standard deviation 27; five of them.
    expect(Math.abs(draws.filter((d) => d < 0.25).length - 1000)).toBeLessThan(137);
  });
});

describe('ids', () => {
  it('derive a problem id from namespace and record id as sha256sum does', () => {
    // printf 'openai/humaneval\0HumanEval/0' | sha256sum | cut -c1-32
    expect(problemIdOf('openai/humaneval', 'HumanEval/0')).toBe(
      createHash('sha256').update('openai/humaneval\0HumanEval/0').digest('hex').slice(0, 32),
    );
  });

  it('give every place in a file its own group id', () => {
    const ids = new Set<string>();
    for (let record = 0; record < 20; record++) for (let i = 0; i < 20; i++) ids.add(groupIdOf('f', record, i));
    expect(ids.size).toBe(400);
  });

  it('refuse text that is no id, naming field and value', () => {
    expect(() => groupId('x\ny')).toThrow(InvalidIdError);
    expect(() => groupId('')).toThrow('group id "" is not 1 to 200 characters without control characters');
  });

  it.each([
    ['codegen-16b-mono', true],
    ['a', true],
    ['-a', false],
    ['a-', false],
    ['A', false],
    ['', false],
    ['a'.repeat(63), true],
    ['a'.repeat(64), false],
  ])('target slug %s: %s', (text, ok) => {
    expect(isTargetSlug(text)).toBe(ok);
  });
});

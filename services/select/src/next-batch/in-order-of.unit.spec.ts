import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { inOrderOf } from './in-order-of.ts';

const self = (id: string) => id;
const ids = fc.uniqueArray(fc.string({ minLength: 1 }), { maxLength: 30 });
const seeds = fc.bigInt(0n, 2n ** 53n - 1n);

describe('the order of a batch', () => {
  it('keeps every problem, once', () => {
    fc.assert(
      fc.property(seeds, ids, (seed, all) => {
        expect(inOrderOf(seed, all, self).sort()).toEqual([...all].sort());
      }),
    );
  });

  it('is the most valuable first for seed 0', () => {
    expect(inOrderOf(0n, ['c', 'a', 'b'], self)).toEqual(['c', 'a', 'b']);
  });

  it('is decided by seed and ids, not by the order in which they come', () => {
    fc.assert(
      fc.property(fc.bigInt(1n, 2n ** 53n - 1n), ids, (seed, all) => {
        expect(inOrderOf(seed, [...all].reverse(), self)).toEqual(inOrderOf(seed, all, self));
      }),
    );
  });

  it('differs from seed to seed', () => {
    const all = Array.from({ length: 20 }, (_, index) => String(index));
    const orders = Array.from({ length: 50 }, (_, seed) => inOrderOf(BigInt(seed), all, self).join());
    expect(new Set(orders).size).toBe(50);
  });
});

import { describe, expect, it } from 'vitest';
import { ByteCache } from './byte-cache.ts';

const bytes = (length: number): Uint8Array => new Uint8Array(length);

describe('the cache of bytes', () => {
  it('drops what was used longest ago when it is over its bound', () => {
    const cache = new ByteCache(100);
    for (const key of ['a', 'b', 'c', 'd']) cache.set(key, bytes(25));
    cache.get('a');
    cache.set('e', bytes(25));
    expect(['a', 'b', 'c', 'd', 'e'].filter((key) => cache.has(key))).toEqual(['a', 'c', 'd', 'e']);
  });

  it('does not keep what would push out everything else', () => {
    const cache = new ByteCache(100);
    cache.set('small', bytes(10));
    cache.set('large', bytes(26));
    expect(cache.has('large')).toBe(false);
    expect(cache.has('small')).toBe(true);
  });
});

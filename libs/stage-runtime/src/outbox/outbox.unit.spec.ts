import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { derivedEventId, traceparentOf } from './event-ids.ts';
import { decodeHeaders, encodeHeaders } from './headers-codec.ts';
import { SHARDS, shardOf } from './shards.ts';

describe('headers in a column', () => {
  it('come back as they were, whatever bytes they hold', () => {
    const headers = fc.dictionary(
      fc.string({ unit: 'grapheme', minLength: 1 }).filter((name) => name !== '__proto__'),
      fc.uint8Array(),
      { noNullPrototype: true },
    );
    fc.assert(
      fc.property(headers, (given) => {
        const found = decodeHeaders(encodeHeaders(given));
        expect(Object.keys(found)).toEqual(Object.keys(given));
        for (const [name, value] of Object.entries(given)) expect([...(found[name] ?? [])]).toEqual([...value]);
      }),
    );
  });
});

describe('derived event ids', () => {
  it('depend on handler, cause and ordinal, and on nothing else', () => {
    const id = derivedEventId('dedup/problems.normalized.v1', 'cause', 0);
    expect(id).toMatch(/^[0-9a-f]{32}$/);
    expect(derivedEventId('dedup/problems.normalized.v1', 'cause', 0)).toBe(id);
    const others = [
      derivedEventId('dedup/problems.normalized.v1', 'cause', 1),
      derivedEventId('dedup/problems.normalized.v1', 'caus', 0),
      derivedEventId('dedup/problems.normalized.v', '1cause', 0),
    ];
    expect(new Set([id, ...others]).size).toBe(4);
  });
});

describe('the trace', () => {
  const parent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-00`;

  it('goes on: same trace and flags, another span', () => {
    const next = traceparentOf('c'.repeat(32), parent);
    expect(next).toMatch(new RegExp(`^00-${'a'.repeat(32)}-[0-9a-f]{16}-00$`));
    expect(next).not.toBe(parent);
  });

  it.each([undefined, 'nonsense'])('begins at the event when the cause has none (%s)', (cause) => {
    expect(traceparentOf('c'.repeat(32), cause)).toMatch(new RegExp(`^00-${'c'.repeat(32)}-[0-9a-f]{16}-01$`));
  });
});

describe('shards', () => {
  it('of a key never change: rows of before bear them', () => {
    fc.assert(
      fc.property(fc.string(), (key) => {
        expect(shardOf(Buffer.from(key))).toBe(fnv(key));
      }),
    );
    expect(shardOf(null)).toBe(shardOf(Buffer.from('')));
    expect(SHARDS).toBe(4);
  });
});

/** FNV-1a by big integers, as its authors write it. */
function fnv(text: string): number {
  let hash = 2166136261n;
  for (const byte of Buffer.from(text)) hash = ((hash ^ BigInt(byte)) * 16777619n) & 0xffffffffn;
  return Number(hash % 4n);
}

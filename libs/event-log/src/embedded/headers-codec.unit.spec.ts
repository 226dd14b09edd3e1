import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decodeHeaders, encodeHeaders } from './headers-codec.ts';

test('headers come back as they were, names and bytes', () => {
  const name = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }).filter((text) => text !== '__proto__');
  fc.assert(
    fc.property(fc.dictionary(name, fc.uint8Array({ maxLength: 50 })), (headers) => {
      const decoded = decodeHeaders(encodeHeaders(headers));
      expect(Object.keys(decoded).sort()).toEqual(Object.keys(headers).sort());
      for (const [key, value] of Object.entries(headers)) expect([...(decoded[key] ?? [])]).toEqual([...value]);
    }),
  );
});

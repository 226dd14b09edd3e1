import fc from 'fast-check';
import { it } from 'vitest';
import { utf8Length } from './limits.ts';

it('counts the bytes that an encoder makes, of lone surrogates too', () => {
  const anyText = fc
    .array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 30 })
    .map((units) => String.fromCharCode(...units));
  fc.assert(
    fc.property(
      fc.oneof(anyText, fc.string({ unit: 'binary' })),
      (text) => utf8Length(text) === new TextEncoder().encode(text).length,
    ),
  );
});

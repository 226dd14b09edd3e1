import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Comparison, compare } from './comparison.ts';

const bytes = (text: string) => new TextEncoder().encode(text);
const equal = (comparison: Comparison, expected: string, actual: string) =>
  compare(comparison, bytes(expected), bytes(actual)).equal;
const near: Comparison = { kind: 'numbers', tolerance: { absolute: 1e-6, relative: 1e-6 } };
const tokens: Comparison = { kind: 'tokens' };
const json: Comparison = { kind: 'json' };

describe('tokens', () => {
  it.each([
    ['layout does not matter', '1 2\n3\n', '1\n2   3', true],
    ['an extra token counts', '1\n', '1 2\n', false],
    ['a missing token counts', '1 2\n', '1\n', false],
    ['a real for an integer is another token', '3', '3.0', false],
    ['a no-break space is no separator', 'a b', 'a\u00a0b', false],
    ['carriage returns are layout', '1\r\n2\r\n', '1\n2\n', true],
  ])('%s', (_name, expected, actual, verdict) => {
    expect(equal(tokens, expected, actual)).toBe(verdict);
  });

  it('names the place and what was written there, apart from what was expected', () => {
    expect(compare(tokens, bytes('1 secret'), bytes('1 mine'))).toEqual({
      equal: false,
      got: 'token 2 is "mine"',
      expected: '"secret"',
    });
  });

  it('any layout of the same tokens is equal', () => {
    const word = fc.stringMatching(/^[!-~]{1,5}$/);
    const gap = fc.constantFrom(' ', '\n', '\t', '  ', '\r\n');
    fc.assert(
      fc.property(fc.array(fc.tuple(word, gap, gap)), (parts) => {
        const [one, other] = [parts.map(([w, g]) => w + g).join(''), parts.map(([w, , g]) => w + g).join('')];
        return equal(tokens, one, other);
      }),
    );
  });

  it('ignores the case of ASCII letters where told', () => {
    expect(equal({ kind: 'tokens', ignoreCase: true }, 'YES', 'yes')).toBe(true);
    expect(equal({ kind: 'tokens', ignoreCase: true }, 'É', 'é')).toBe(false);
  });
});

describe('lines', () => {
  it.each([
    ['leading blanks count', ' *\n', '*\n', false],
    ['trailing blanks and empty lines do not', 'a\n', 'a  \n\n\n', true],
    ['only a line feed ends a line', 'a\u000bb\n', 'a\nb\n', false],
    ['an empty line between counts', 'a\n\nb', 'a\nb', false],
  ])('%s', (_name, expected, actual, verdict) => {
    expect(equal({ kind: 'lines' }, expected, actual)).toBe(verdict);
  });
});

describe('numbers', () => {
  it.each([
    ['inside the tolerance', '0.333333333333', '0.333333', true],
    ['outside', '0.333333333333', '0.3334', false],
    ['neighbours above 2^53 differ', '50000000000000000', '50000000000000001', false],
    ['a big integer against a real near it differs', '9007199254740993', '9007199254740992.0', false],
    ['the same integer written otherwise is equal', '100', '1e2', true],
    ['a real for an integer is allowed', '3', '3.0', true],
    ['underscores make no number', '1000', '1_000', false],
    ['nan is no number', '1.0', 'nan', false],
    ['words compare as bytes', 'ok 1.0', 'ok 1.0000001', true],
    ['minus zero is zero', '0', '-0.0', true],
  ])('%s', (_name, expected, actual, verdict) => {
    expect(equal(near, expected, actual)).toBe(verdict);
  });

  it('integers are equal exactly when they are the same integer', () => {
    fc.assert(fc.property(fc.bigInt(), fc.bigInt(), (a, b) => equal(near, String(a), String(b)) === (a === b)));
  });
});

describe('unordered', () => {
  it('takes tokens as a multiset', () => {
    expect(equal({ kind: 'unordered' }, 'a b b', 'b a b')).toBe(true);
    expect(equal({ kind: 'unordered' }, 'a b b', 'b a a')).toBe(false);
  });
});

describe('json', () => {
  it.each([
    ['numbers above 2^53 are exact', '9007199254740993', '9007199254740992', false],
    ['5 and 5.0 are one number', '5', '5.0', true],
    ['text is no boolean', 'true', '"True"', false],
    ['one is no true', 'true', '1', false],
    ['NaN is no null', 'null', 'NaN', false],
    ['key order does not matter', '{"a":1,"b":[2]}', '{"b":[2],"a":1}', true],
    ['list order does', '[1,2]', '[2,1]', false],
    ['garbage is no value', '1', '1 2', false],
    ['an unclosed text is no value', '"a"', '"a', false],
  ])('%s', (_name, expected, actual, verdict) => {
    expect(equal(json, expected, actual)).toBe(verdict);
  });

  it('agrees with the platform on values without numbers', () => {
    const value = fc.jsonValue({ noUnicodeString: false }).map((one) => JSON.stringify(one));
    fc.assert(fc.property(value, (text) => equal(json, text, text)));
  });

  it('takes the outermost list as a multiset where told', () => {
    expect(equal({ kind: 'json', unordered: true }, '[[1],[2]]', '[[2],[1]]')).toBe(true);
    expect(equal({ kind: 'json', unordered: true }, '[[1,2]]', '[[2,1]]')).toBe(false);
  });

  it('refuses a value too deep to read instead of overflowing', () => {
    expect(equal(json, '1', '['.repeat(100_000))).toBe(false);
  });
});

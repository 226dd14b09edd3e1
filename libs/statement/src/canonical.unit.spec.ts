import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalStatement, identityHash, type ProblemIdentity, squeezeJson, statementHash } from './canonical.ts';

const problem: ProblemIdentity = {
  statement: 'Given n, print n*n.',
  languages: ['python', 'c'],
  entryPoint: 'square',
  starterCode: 'def square(n):\n    ...\n',
  tests: {
    form: 'call',
    checker: 'json',
    cases: [
      ['[1]', '1'],
      ['[2]', '4'],
    ],
  },
};

describe('the canonical statement', () => {
  it('leaves layout and case aside', () => {
    expect(canonicalStatement('  given N,\n\n print n * n .  ')).toBe(canonicalStatement('Given n, print n*n.'));
  });
  it('keeps words apart', () => {
    expect(canonicalStatement('a b')).not.toBe(canonicalStatement('ab'));
  });
  it('keeps every character that is not a blank', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        const solid = (value: string) => value.normalize('NFKC').toLowerCase().replace(/\s+/gu, '');
        expect(solid(canonicalStatement(text))).toBe(solid(text));
      }),
    );
  });
});

describe('the identity of a problem', () => {
  it('is equal for another layout and another order of tests and languages', () => {
    const same = {
      ...problem,
      statement: ' given n , print n * n.',
      languages: ['c', 'python'],
      starterCode: 'def square(n):  \r\n\r\n    ...',
      tests: {
        form: 'call',
        checker: 'json',
        cases: [
          ['[2]', '4'],
          ['[1]', '1'],
        ],
      },
    };
    expect(identityHash(same)).toBe(identityHash(problem));
    expect(statementHash(same.statement)).toBe(statementHash(problem.statement));
  });

  it.each<[string, Partial<ProblemIdentity>]>([
    ['statement', { statement: 'Given n, print n+n.' }],
    ['entry point', { entryPoint: 'sq' }],
    ['language', { languages: ['python'] }],
    ['starter code', { starterCode: 'def square(m):\n    ...\n' }],
    ['tests', { tests: { form: 'call', checker: 'json', cases: [['[1]', '1']] } }],
    [
      'checker',
      {
        tests: {
          form: 'call',
          checker: 'program',
          cases: [
            ['[1]', '1'],
            ['[2]', '4'],
          ],
        },
      },
    ],
    ['absence of tests', { tests: undefined }],
  ])('differs by %s', (_, other) => {
    expect(identityHash({ ...problem, ...other })).not.toBe(identityHash(problem));
  });
});

it('squeezes blanks out of JSON, and nothing out of its strings', () => {
  expect(squeezeJson('{ "a b" : [1.50 ,\n "x \\" y"] }')).toBe('{"a b":[1.50,"x \\" y"]}');
  fc.assert(
    fc.property(fc.jsonValue(), (value) => squeezeJson(JSON.stringify(value, null, 2)) === JSON.stringify(value)),
  );
});

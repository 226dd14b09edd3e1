import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cleanCode, cleanStatement } from './clean.ts';

const codesOf = (text: string) => cleanStatement(text).notes.map((note) => `${note.code} ${note.count}`);

describe('cleaning a statement', () => {
  it.each([
    ['line ends', 'a\r\nb\rc', 'a\nb\nc', ['line_ends 2']],
    ['decomposed letters', 'caf\u0065\u0301', 'caf\u00e9', ['not_nfc 1']],
    [
      'zero-width characters',
      'Sort the ar\u200Bray of n inte\u00ADgers.\uFEFF',
      'Sort the array of n integers.',
      ['removed_invisible 3'],
    ],
    ['bidi overrides', 'a\u202Eb\u2066c\u2069', 'abc', ['removed_bidi 3']],
    ['controls', 'a\u0007b\u001b[0mc\tд', 'ab[0mc\tд', ['removed_control 2']],
    ['hidden tags', 'Sum.\u{E0072}\u{E0061}', 'Sum.', ['removed_hidden_tags 1']],
    ['joiners between ASCII', 'a\u200Db', 'ab', ['joined_invisibly 1']],
    [
      'joiners that belong there',
      '\u0645\u06CC\u200C\u062E\u0648\u0627\u0647\u0645 👩‍💻',
      '\u0645\u06CC\u200C\u062E\u0648\u0627\u0647\u0645 👩‍💻',
      [],
    ],
    ['blank lines at both ends', '\n \n    x\n\n', '    x', ['trimmed 1']],
    ['nothing but blanks', ' \n\u200B ', '', ['removed_invisible 1', 'trimmed 1']],
    ['Markdown', '# A\n\n- **b**  \n- `c`\n\n| x |\n|---|', '# A\n\n- **b**  \n- `c`\n\n| x |\n|---|', []],
    ['formulas and code', '$1 \\le n \\le 10^5$ and `a < b && c`', '$1 \\le n \\le 10^5$ and `a < b && c`', []],
  ])('treats %s', (_, source, clean, notes) => {
    expect(cleanStatement(source).text).toBe(clean);
    expect(codesOf(source)).toEqual(notes);
  });

  it('changes nothing the second time', () => {
    const hazards = fc.constantFrom(
      '\r',
      '\n',
      '\u200B',
      '\u200D',
      '\u202E',
      'e',
      '\u0301',
      'a',
      ' ',
      '\u{E0041}',
      '\u0000',
      'д',
      '\u00AD',
      '\u1100',
      '\u1161',
    );
    fc.assert(
      fc.property(
        fc.array(hazards, { maxLength: 12 }).map((parts) => parts.join('')),
        (text) => {
          const once = cleanStatement(text).text;
          expect(cleanStatement(once)).toEqual({ text: once, notes: [] });
        },
      ),
    );
  });

  it('takes a megabyte of hazards in linear time', () => {
    expect(cleanStatement('\u200D'.repeat(1_000_000)).text).toBe('');
    expect(cleanStatement(`${' '.repeat(1_000_000)}x${'$'.repeat(60_000)}`).text).toContain('x');
  });
});

it('changes line ends of code and nothing else', () => {
  expect(cleanCode('a = "\u200B"\r\n\tb\r\n')).toBe('a = "\u200B"\n\tb\n');
});

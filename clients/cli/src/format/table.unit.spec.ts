import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bar, count, cut, plural, tableLines } from './table.ts';

describe('a table', () => {
  it('aligns words left and numbers right, without blanks at line ends', () => {
    const columns = [{ heading: 'bin' }, { heading: 'problems', align: 'right' as const }, { heading: '' }];
    expect(
      tableLines(columns, [
        ['hard', '7', ''],
        ['mastered', '1,200', '██'],
      ]),
    ).toEqual(['bin       problems', 'hard             7', 'mastered     1,200  ██']);
  });

  it('is nothing without rows', () => {
    expect(tableLines([{ heading: 'a' }], [])).toEqual([]);
  });
});

describe('a bar', () => {
  it('grows with its value and never leaves its width', () => {
    const value = fc.integer({ min: 0, max: 1_000 });
    fc.assert(
      fc.property(value, value, (a, b) => {
        const [less, more] = a <= b ? [a, b] : [b, a];
        const [short, long] = [bar(less, 1_000, 20), bar(more, 1_000, 20)];
        return [...short].length <= [...long].length && [...long].length <= 20 && (less === 0) === (short === '');
      }),
    );
  });

  it('shows the least value', () => {
    expect(bar(1, 1_000_000, 20)).toBe('▏');
    expect(bar(5, 5, 3)).toBe('███');
  });
});

describe('numbers and texts', () => {
  it('are written as people write them', () => {
    expect([count(1234567), plural(1, 'problem'), plural(2, 'problem'), cut('abcdef', 4), cut('abc', 3)]).toEqual([
      '1,234,567',
      '1 problem',
      '2 problems',
      'abc…',
      'abc',
    ]);
  });
});

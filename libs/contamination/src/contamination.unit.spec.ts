import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decideContamination, gramsOf, sharedGrams, similarity, wordsOf } from './index.ts';

/** The definition, word for word and without hashes: lists of 16 words compared one by one. */
function oracle(left: string[], right: string[]): number {
  const windows = (words: string[]): string[] => {
    if (words.length === 0) return [];
    if (words.length < 16) return [JSON.stringify(words)];
    const all: string[] = [];
    for (let i = 0; i <= words.length - 16; i++) all.push(JSON.stringify(words.slice(i, i + 16)));
    return all.filter((gram, i) => all.indexOf(gram) === i);
  };
  const [a, b] = [windows(left), windows(right)];
  if (a.length === 0 || b.length === 0) return 0;
  const small = a.length <= b.length ? a : b;
  const large = small === a ? b : a;
  return small.filter((gram) => large.includes(gram)).length / small.length;
}

const measured = (left: string, right: string) => {
  const [a, b] = [gramsOf(left), gramsOf(right)];
  return similarity(sharedGrams(a, b), a.size, b.size);
};

describe('similarity by word 16-grams', () => {
  it('equals the brute-force definition', () => {
    // Two words only, so that windows repeat and overlap often.
    const words = fc.array(fc.constantFrom('a', 'b'), { maxLength: 40 });
    const embedded = fc
      .tuple(words, words, words)
      .map(([before, core, after]) => [[...before, ...core, ...after], core]);
    const pairs = fc.oneof(fc.tuple(words, words), embedded) as fc.Arbitrary<[string[], string[]]>;
    fc.assert(
      fc.property(pairs, ([left, right]) => {
        expect(measured(left.join(' '), right.join(' '))).toBe(oracle(left, right));
      }),
      { numRuns: 400 },
    );
  });

  it('is symmetric, 1 with itself, and blind to case, layout and punctuation', () => {
    fc.assert(
      fc.property(fc.lorem({ maxCount: 40 }), fc.lorem({ maxCount: 40 }), (left, right) => {
        expect(measured(left, right)).toBe(measured(right, left));
        expect(measured(left, `  ${left.toUpperCase().replaceAll(' ', ',\n')}!`)).toBe(1);
      }),
    );
  });

  it('finds a benchmark problem inside a longer statement', () => {
    const benchmark = Array.from({ length: 40 }, (_, i) => `word${i}`).join(' ');
    expect(measured(benchmark, `A story before it. ${benchmark} And some words after.`)).toBe(1);
  });

  it('compares short statements whole', () => {
    expect(measured('Add two numbers.', 'add two numbers')).toBe(1);
    expect(measured('Add two numbers.', 'Add three numbers.')).toBe(0);
    expect(measured('Add two numbers.', `Add two numbers. ${'x '.repeat(30)}`)).toBe(0);
    expect(measured('', '')).toBe(0);
  });

  it('takes characters for words where a script has no blanks', () => {
    expect(wordsOf('给定两个 ints')).toEqual(['给', '定', '两', '个', 'ints']);
  });
});

describe('the decision', () => {
  const match = (benchmark: string, itemId: string, shared: number, threshold = 0.22) => ({
    benchmark,
    itemId,
    itemGrams: 100,
    shared,
    threshold,
  });

  it('rejects above the threshold, not at it', () => {
    expect(decideContamination(200, [match('b', '1', 22)])).toEqual({
      kind: 'clean',
      closest: { benchmark: 'b', itemId: '1', similarity: 0.22 },
    });
    expect(decideContamination(200, [match('b', '1', 23)])).toEqual({
      kind: 'contaminated',
      by: { benchmark: 'b', itemId: '1', similarity: 0.23 },
    });
  });

  it('names the greatest overlap, whatever the order of the matches', () => {
    const matches = [match('b', '2', 60), match('a', '9', 60), match('c', '1', 30)];
    fc.assert(
      fc.property(fc.shuffledSubarray(matches, { minLength: 3 }), (shuffled) => {
        const decision = decideContamination(500, shuffled);
        expect(decision.kind === 'contaminated' && decision.by.itemId).toBe('9');
      }),
    );
  });

  it('asks each benchmark for its own threshold', () => {
    const decision = decideContamination(100, [match('lax', '1', 50, 0.9), match('strict', '1', 30)]);
    expect(decision.kind === 'contaminated' && decision.by.benchmark).toBe('strict');
  });

  it('is clean without matches', () => {
    expect(decideContamination(10, [])).toEqual({ kind: 'clean', closest: undefined });
  });
});

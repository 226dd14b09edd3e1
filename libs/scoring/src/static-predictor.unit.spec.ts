import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { dimensionNames } from './dimensions.ts';
import type { ScorableProblem } from './features.ts';
import { dimensionsOf, predict, staticPredictor } from './static-predictor.ts';

const trivial: ScorableProblem = {
  statement: 'Print the sum of two numbers.',
  starterCode: '',
  testForm: 'stdin',
  references: ['a, b = map(int, input().split())\nprint(a + b)\n'],
  testCount: 3,
  cpuTimeMs: 1000,
  memoryBytes: 2 ** 28,
  testBytes: 60,
  publishedYear: undefined,
};
const hard: ScorableProblem = {
  ...trivial,
  statement:
    'Given a tree with n vertices (1 ≤ n ≤ 2·10^5), print the number of pairs of vertices whose path has the greatest ' +
    'possible product, modulo 10^9 + 7, for each of q queries (1 ≤ q ≤ 10^5). A solution that looks at every pair is too slow.',
  references: [
    [
      'import heapq, bisect',
      'def solve(tree, n):',
      '    table = [0] * n',
      ...Array.from({ length: 12 }, (_, i) => `    if n > ${i}:\n        table[${i}] = ${i}`),
      '    for a in tree:',
      '        for b in tree[a]:',
      '            while b:',
      '                table[b] += table[a]',
      '                b = table[b]',
      '    return table',
    ].join('\n'),
  ],
};

const problems: fc.Arbitrary<ScorableProblem> = fc.record({
  statement: fc.oneof(fc.string(), fc.constantFrom(trivial.statement, hard.statement)),
  starterCode: fc.string(),
  testForm: fc.constantFrom('stdin', 'call', 'assert', 'unknown'),
  references: fc.array(fc.oneof(fc.string(), fc.constantFrom(...trivial.references, ...hard.references)), {
    maxLength: 3,
  }),
  testCount: fc.nat(1000),
  cpuTimeMs: fc.nat(60_000),
  memoryBytes: fc.nat(),
  testBytes: fc.nat(),
  publishedYear: fc.option(fc.integer({ min: 1970, max: 2100 }), { nil: undefined }),
});

describe('the static predictor', () => {
  it('says that it is one, and its version', () => {
    expect(predict(trivial).predictor).toEqual({ name: 'static-features', kind: 'static', version: '1' });
    expect(staticPredictor.kind).toBe('static');
  });

  it('puts a sum of two numbers at the bottom and a hard tree problem far above', () => {
    expect(predict(trivial).score).toBe(1);
    expect(predict(hard).score).toBeGreaterThan(3.5);
  });

  it('gives whole dimensions from 1 to 5, a score from 1 to 5 and finite features for any problem', () => {
    fc.assert(
      fc.property(problems, (problem) => {
        const prediction = predict(problem);
        for (const name of dimensionNames) {
          expect([1, 2, 3, 4, 5]).toContain(prediction.assessments[0][name]);
        }
        expect(prediction.score).toBeGreaterThanOrEqual(1);
        expect(prediction.score).toBeLessThanOrEqual(5);
        expect(Object.values(prediction.features).every(Number.isFinite)).toBe(true);
      }),
    );
  });

  it('gives the same problem the same answer, whatever the order of its references and its line ends', () => {
    fc.assert(
      fc.property(problems, (problem) => {
        const other = { ...problem, references: [...problem.references].reverse() };
        expect(predict(other)).toEqual(predict(problem));
      }),
    );
    expect(predict({ ...hard, statement: `${hard.statement}\r\n` }).score).toBe(predict(hard).score);
  });

  it('never falls when a limit grows', () => {
    const exponent = fc.double({ min: 0, max: 20, noNaN: true });
    fc.assert(
      fc.property(problems, exponent, exponent, (problem, a, b) => {
        const features = predict(problem).features;
        const [low, high] = a < b ? [a, b] : [b, a];
        for (const name of ['size_limit_exponent', 'value_limit_exponent'] as const) {
          const before = dimensionsOf({ ...features, [name]: low });
          const after = dimensionsOf({ ...features, [name]: high });
          for (const dimension of dimensionNames) expect(after[dimension]).toBeGreaterThanOrEqual(before[dimension]);
        }
      }),
    );
  });

  it('notes that no reference is known, instead of taking it for an empty one', () => {
    const without = predict({ ...hard, references: [] });
    expect(without.features.reference_known).toBe(0);
    expect(without.score).toBeGreaterThan(2);
    expect(predict({ ...hard, references: ['# nothing\n'] }).features.reference_known).toBe(0);
  });

  it('reads a hostile statement in a time that grows with its length', { timeout: 20_000 }, () => {
    for (const unit of ['$', '$a', 'number of ', '10^9 + ', '>>>', ' ', 'a_', 'in how many ', '≤ 1']) {
      const statement = unit.repeat(Math.ceil(200_000 / unit.length));
      expect(predict({ ...trivial, statement }).score).toBeGreaterThanOrEqual(1);
    }
  });

  it('asks for nothing special where the reference is a formula, however large the numbers', () => {
    const formula = { ...trivial, statement: 'Two numbers n and m (1 ≤ n ≤ 10^9, 1 ≤ m ≤ 10^9). Print their sum.' };
    expect(predict(formula).mean.od).toBeLessThanOrEqual(2);
  });
});

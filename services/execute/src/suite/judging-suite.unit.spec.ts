import { create } from '@bufbuild/protobuf';
import { TestForm, TestSuiteSchema } from '@tidemark/proto';
import { describe, expect, it } from 'vitest';
import { judgingSuite } from './judging-suite.ts';

const suiteOf = (sizes: readonly number[]) =>
  create(TestSuiteSchema, {
    form: TestForm.STDIN,
    tests: sizes.map((size, index) => ({
      name: String(index + 1),
      body: { case: 'stdin' as const, value: { input: new Uint8Array(size), expected: new Uint8Array() } },
    })),
  });

describe('the judging suite', () => {
  it('holds all tests up to the budget', () => {
    const suite = suiteOf([1, 2, 3]);
    expect(judgingSuite(suite, 3)).toBe(suite);
  });

  it('else holds the 15 longest, in their order', () => {
    const sizes = Array.from({ length: 40 }, (_, index) => (index * 7) % 40);
    const kept = judgingSuite(suiteOf(sizes), 39).tests.map(({ name }) => sizes[Number(name) - 1] as number);
    expect([...kept].sort((a, b) => b - a)).toEqual(Array.from({ length: 15 }, (_, rank) => 39 - rank));
    expect(kept).toEqual(sizes.filter((size) => size >= 25));
  });
});

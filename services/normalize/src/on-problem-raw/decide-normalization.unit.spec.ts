import { create } from '@bufbuild/protobuf';
import { ProblemContentSchema, SolutionSchema, TestCaseSchema, TestForm, TestSuiteSchema } from '@tidemark/proto';
import { describe, expect, it } from 'vitest';
import { type CleanedProblem, decideNormalization } from './decide-normalization.ts';

const limits = { maxStatementBytes: 100, maxTestBytes: 100 };
const stdin = { case: 'stdin', value: {} } as const;
const asserts = { case: 'asserts', value: {} } as const;
const suite = (form: TestForm, entryPoint = '', ...bodies: (typeof stdin | typeof asserts)[]) =>
  create(TestSuiteSchema, {
    form,
    entryPoint,
    tests: bodies.map((body, i) => create(TestCaseSchema, { name: `${i}`, body })),
  });
const content = (...claimedRight: boolean[]) =>
  create(ProblemContentSchema, {
    solutions: claimedRight.map((right) => create(SolutionSchema, { claimedRight: right })),
  });
const problem = (fields: Partial<CleanedProblem> = {}): CleanedProblem => ({
  content: content(),
  suite: suite(TestForm.STDIN, '', stdin),
  statementBytes: 10,
  suiteBytes: 10,
  ...fields,
});

describe('a cleaned problem', () => {
  it.each<[string, CleanedProblem]>([
    ['tests', problem()],
    ['a reference and no tests', problem({ suite: undefined, content: content(true) })],
    ['asserts and no entry point', problem({ suite: suite(TestForm.ASSERT_SCRIPT, '', asserts) })],
  ])('goes on with %s', (_, cleaned) => {
    expect(decideNormalization(cleaned, limits)).toEqual({ kind: 'passes' });
  });

  it.each<[string, CleanedProblem]>([
    ['no_tests_and_no_reference', problem({ suite: undefined })],
    ['no_tests_and_no_reference', problem({ suite: undefined, content: content(false) })],
    ['empty_statement', problem({ statementBytes: 0 })],
    ['statement_too_large', problem({ statementBytes: 101 })],
    ['tests_too_large', problem({ suiteBytes: 101 })],
    ['unknown_test_form', problem({ suite: suite(TestForm.UNSPECIFIED, '', stdin) })],
    ['entry_point_missing', problem({ suite: suite(TestForm.FUNCTION_CALL) })],
    ['mixed_test_forms', problem({ suite: suite(TestForm.STDIN, '', stdin, asserts) })],
  ])('is rejected as %s', (reason, cleaned) => {
    const decision = decideNormalization(cleaned, limits);
    expect(decision.kind === 'rejected' && decision.reason).toBe(reason);
  });
});

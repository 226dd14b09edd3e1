import { create } from '@bufbuild/protobuf';
import {
  CheckerKind,
  CheckerSchema,
  type TestCase,
  TestCaseSchema,
  TestForm,
  type TestSuite,
  TestSuiteSchema,
} from '@tidemark/proto';
import { identityHash } from '@tidemark/statement';
import { describe, expect, it } from 'vitest';
import { cleanSuite, testsIdentity } from './clean-suite.ts';

const suite = (...bodies: TestCase['body'][]): TestSuite =>
  create(TestSuiteSchema, {
    form: TestForm.FUNCTION_CALL,
    entryPoint: 'f',
    checker: create(CheckerSchema, { kind: CheckerKind.JSON }),
    tests: bodies.map((body, i) => create(TestCaseSchema, { name: `${i + 1}`, body })),
  });
const call = (argumentsJson: string[], expectedJson?: string): TestCase['body'] => ({
  case: 'call',
  value: {
    $typeName: 'tidemark.problem.v1.FunctionCallTest',
    argumentsJson,
    namedArgumentsJson: {},
    ...(expectedJson === undefined ? {} : { expectedJson }),
  },
});
const bytes = (text: string) => new TextEncoder().encode(text);
const hash = (of: TestSuite) =>
  identityHash({ statement: 's', languages: [], entryPoint: 'f', starterCode: '', tests: testsIdentity(of) });

describe('cleaning a suite', () => {
  it('changes line ends of code and leaves inputs alone', () => {
    const clean = cleanSuite(
      suite(
        { case: 'asserts', value: { $typeName: 'tidemark.problem.v1.AssertTest', code: 'a\r\nb' } },
        { case: 'stdin', value: { $typeName: 'tidemark.problem.v1.StdinTest', input: bytes('a\r\n') } },
      ),
    );
    expect(clean?.tests[0]?.body.case === 'asserts' && clean.tests[0].body.value.code).toBe('a\nb');
    expect(clean?.tests[1]?.body.case === 'stdin' && clean.tests[1].body.value.input).toEqual(bytes('a\r\n'));
  });

  it('finds no suite where there are no tests', () => {
    expect(cleanSuite(suite())).toBeUndefined();
  });
});

describe('the identity of tests', () => {
  it('is equal for another order, other names and other blanks in values', () => {
    expect(hash(suite(call(['[1, 2]'], '3'), call(['[4]'], '4')))).toBe(
      hash(suite(call(['[4]'], '4'), call(['[1,2]'], '3'))),
    );
  });
  it.each([
    ['an argument', suite(call(['[1]', '2'], '3'))],
    ['how a number is written', suite(call(['[1.0]'], '3'))],
    ['an absent result', suite(call(['[1]']))],
    ['another test', suite(call(['[1]'], '3'), call(['[2]'], '3'))],
  ])('differs by %s', (_, other) => {
    expect(hash(other)).not.toBe(hash(suite(call(['[1]'], '3'))));
  });
});

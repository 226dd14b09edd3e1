import { type ProblemContent, TestForm, type TestSuite } from '@tidemark/proto';

/** What makes a cleaned problem one that can't go on. */
export type Normalization =
  | { readonly kind: 'passes' }
  | { readonly kind: 'rejected'; readonly reason: RejectionReason; readonly message: string };

export type RejectionReason =
  | 'empty_statement'
  | 'statement_too_large'
  | 'tests_too_large'
  | 'no_tests_and_no_reference'
  | 'unknown_test_form'
  | 'entry_point_missing'
  | 'mixed_test_forms';

export interface NormalizationLimits {
  readonly maxStatementBytes: number;
  readonly maxTestBytes: number;
}

/** The parts of a cleaned problem on which the decision rests. */
export interface CleanedProblem {
  readonly content: ProblemContent;
  /** Undefined when there are no tests. */
  readonly suite: TestSuite | undefined;
  readonly statementBytes: number;
  readonly suiteBytes: number;
}

const bodies: Readonly<Partial<Record<TestForm, string>>> = {
  [TestForm.STDIN]: 'stdin',
  [TestForm.FUNCTION_CALL]: 'call',
  [TestForm.ASSERT_SCRIPT]: 'asserts',
};

/** Decides whether a cleaned problem goes on. Nothing is guessed: what is missing stays missing, and is named. */
export function decideNormalization(problem: CleanedProblem, limits: NormalizationLimits): Normalization {
  const { content, suite, statementBytes, suiteBytes } = problem;
  if (statementBytes === 0) return rejected('empty_statement', 'Nothing is left of the statement after cleaning.');
  if (statementBytes > limits.maxStatementBytes) {
    return rejected(
      'statement_too_large',
      `The statement has ${statementBytes} bytes, more than ${limits.maxStatementBytes}.`,
    );
  }
  if (suiteBytes > limits.maxTestBytes) {
    return rejected('tests_too_large', `The tests have ${suiteBytes} bytes, more than ${limits.maxTestBytes}.`);
  }
  if (suite === undefined) {
    if (content.solutions.some((solution) => solution.claimedRight)) return { kind: 'passes' };
    return rejected('no_tests_and_no_reference', 'It has neither tests nor a reference solution to make them with.');
  }
  const body = bodies[suite.form];
  if (body === undefined) return rejected('unknown_test_form', `Its tests have the unknown form ${suite.form}.`);
  if (suite.form === TestForm.FUNCTION_CALL && suite.entryPoint === '') {
    return rejected('entry_point_missing', 'Its tests call a function, and no function is named.');
  }
  const other = suite.tests.find((test) => test.body.case !== body);
  if (other) return rejected('mixed_test_forms', `Test ${other.name} has another form than the suite.`);
  return { kind: 'passes' };
}

function rejected(reason: RejectionReason, message: string): Normalization {
  return { kind: 'rejected', reason, message };
}

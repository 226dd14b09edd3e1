import { type BlobStore, readPayloadText } from '@tidemark/blob-store';
import { canonicalLanguage, type CheckerProgram, type Comparison, type TestForm } from '@tidemark/judging';
import { type Checker, CheckerKind, type TestSuite, TestForm as WireForm } from '@tidemark/proto';

/** A suite that can't judge: an expected output is missing, or its form or checker is of a kind unknown here. */
export class UnusableSuiteError extends Error {
  constructor(
    /** Stable, for the problem's status. */
    readonly code: 'expected_outputs_missing' | 'unknown_test_form' | 'unknown_checker',
    message: string,
  ) {
    super(message);
    this.name = 'UnusableSuiteError';
  }
}

/** A suite as the judge reads it. @throws UnusableSuiteError, and what the blob store throws */
export async function toForm(suite: TestSuite, blobs: BlobStore): Promise<TestForm> {
  switch (suite.form) {
    case WireForm.STDIN:
      return { kind: 'stdin', checker: await toChecker(suite.checker, blobs), tests: suite.tests.map(toStdinTest) };
    case WireForm.FUNCTION_CALL: {
      const comparison = await toChecker(suite.checker, blobs, { kind: 'json' });
      if (comparison.kind === 'program') {
        throw new UnusableSuiteError('unknown_checker', 'checker programs for function calls are not known here');
      }
      return { kind: 'call', entry: suite.entryPoint, comparison, tests: suite.tests.map(toCallTest) };
    }
    case WireForm.ASSERT_SCRIPT:
      return {
        kind: 'asserts',
        tests: suite.tests.map(({ body }) => (body.case === 'asserts' ? body.value.code : '')),
        entry: suite.entryPoint,
        together: false,
      };
    default:
      throw new UnusableSuiteError('unknown_test_form', `tests of the unknown form ${suite.form}`);
  }
}

function toStdinTest({ name, body }: TestSuite['tests'][number]) {
  if (body.case !== 'stdin' || body.value.expected === undefined) throw missing(name);
  return { input: body.value.input, expected: body.value.expected };
}

function toCallTest({ name, body }: TestSuite['tests'][number]) {
  if (body.case !== 'call' || body.value.expectedJson === undefined) throw missing(name);
  const { argumentsJson, namedArgumentsJson, expectedJson, inPlaceArgument } = body.value;
  return {
    argumentsJson,
    namedArgumentsJson,
    expectedJson,
    ...(inPlaceArgument === undefined ? {} : { inPlaceArgument }),
  };
}

/** How answers are compared. @throws UnusableSuiteError for a checker unknown here */
export async function toChecker(
  checker: Checker | undefined,
  blobs: BlobStore,
  unstated: Comparison = { kind: 'tokens' },
): Promise<Comparison | CheckerProgram> {
  const { kind, absoluteTolerance: absolute = 0, relativeTolerance: relative = 0, ignoreCase = false } = checker ?? {};
  const tolerance = { absolute, relative };
  switch (kind) {
    case undefined:
    case CheckerKind.UNSPECIFIED:
      return unstated;
    case CheckerKind.EXACT:
      return { kind: 'exact' };
    case CheckerKind.TOKENS:
      return { kind: 'tokens', ignoreCase };
    case CheckerKind.LINES:
      return { kind: 'lines', ignoreCase };
    case CheckerKind.FLOAT:
      return { kind: 'numbers', tolerance, ignoreCase };
    case CheckerKind.UNORDERED_TOKENS:
      return { kind: 'unordered', ignoreCase };
    case CheckerKind.JSON:
      return absolute === 0 && relative === 0 ? { kind: 'json' } : { kind: 'json', tolerance };
    case CheckerKind.DEFAULT_VALIDATOR:
      return {
        kind: 'default_validator',
        ignoreCase,
        spaceSensitive: checker?.spaceSensitive ?? false,
        ...(absolute === 0 && relative === 0 ? {} : { tolerance }),
      };
    case CheckerKind.KATTIS_VALIDATOR:
    case CheckerKind.TESTLIB:
      return await toValidator(checker, kind === CheckerKind.TESTLIB ? 'testlib' : 'kattis', blobs);
    case CheckerKind.PROGRAM:
      if (checker?.program === undefined) throw new UnusableSuiteError('unknown_checker', 'the checker has no program');
      if (['c', 'cpp'].includes(canonicalLanguage(checker.language))) {
        throw new UnusableSuiteError('unknown_checker', 'a checker in C or C++ has to be a validator of its own');
      }
      return {
        kind: 'program',
        language: canonicalLanguage(checker.language || 'python'),
        source: await readPayloadText(blobs, checker.program),
      };
    default:
      throw new UnusableSuiteError('unknown_checker', `a checker of the unknown kind ${kind}`);
  }
}

/** @throws UnusableSuiteError where the validator has no program, and what the blob store throws */
async function toValidator(
  checker: Checker | undefined,
  protocol: 'kattis' | 'testlib',
  blobs: BlobStore,
): Promise<CheckerProgram> {
  if (checker?.program === undefined) throw new UnusableSuiteError('unknown_checker', 'the validator has no program');
  const files: Record<string, string> = {};
  for (const [path, payload] of Object.entries(checker.files)) files[path] = await readPayloadText(blobs, payload);
  return {
    kind: 'program',
    protocol,
    language: canonicalLanguage(checker.language || 'cpp'),
    source: await readPayloadText(blobs, checker.program),
    files,
    arguments: checker.arguments,
  };
}

function missing(test: string): UnusableSuiteError {
  return new UnusableSuiteError('expected_outputs_missing', `test ${test} has no expected output`);
}

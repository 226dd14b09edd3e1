import { create } from '@bufbuild/protobuf';
import { type BlobStore, storePayload } from '@tidemark/blob-store';
import type { ProblemRecord, RecordChecker, RecordTests } from '@tidemark/formats';
import {
  AssertTestSchema,
  type Checker,
  CheckerKind,
  CheckerSchema,
  FunctionCallTestSchema,
  type Payload,
  StdinTestSchema,
  type TestCase,
  TestCaseSchema,
  TestForm,
  type TestSuite,
  TestSuiteSchema,
} from '@tidemark/proto';

const utf8 = new TextEncoder();

/** The tests of a record in the one form that judges read. Names are the source's, or count from 1. */
export async function toTestSuite(
  tests: RecordTests,
  record: Pick<ProblemRecord, 'language' | 'entryPoint'>,
  blobs: BlobStore,
): Promise<TestSuite> {
  switch (tests.form) {
    case 'stdin':
      return create(TestSuiteSchema, {
        form: TestForm.STDIN,
        checker: await toChecker(tests.checker, blobs),
        tests: withNames(tests.cases).map(([name, one]) =>
          testCase(name, one.example, {
            case: 'stdin',
            value: create(StdinTestSchema, {
              input: utf8.encode(one.input),
              ...(one.expected === undefined ? {} : { expected: utf8.encode(one.expected) }),
            }),
          }),
        ),
      });
    case 'call':
      return create(TestSuiteSchema, {
        form: TestForm.FUNCTION_CALL,
        language: record.language,
        entryPoint: record.entryPoint,
        checker: await toChecker(tests.checker, blobs),
        tests: tests.cases.map((one, i) =>
          testCase(String(i + 1), one.example, {
            case: 'call',
            value: create(FunctionCallTestSchema, {
              argumentsJson: [...one.arguments],
              namedArgumentsJson: { ...one.namedArguments },
              ...(one.expected === undefined ? {} : { expectedJson: one.expected }),
              ...(one.inPlace === undefined ? {} : { inPlaceArgument: one.inPlace }),
            }),
          }),
        ),
      });
    case 'assert':
      return create(TestSuiteSchema, {
        form: TestForm.ASSERT_SCRIPT,
        language: record.language,
        setupCode: tests.preparation,
        entryPoint: record.entryPoint,
        checker: create(CheckerSchema, { kind: CheckerKind.ASSERTIONS }),
        tests: tests.cases.map((one, i) =>
          testCase(String(i + 1), one.example, {
            case: 'asserts',
            value: create(AssertTestSchema, { code: one.code }),
          }),
        ),
      });
  }
}

/** Tests by the source's names where it names each, and no two alike; by number otherwise. */
function withNames<T extends { readonly name: string | undefined }>(
  cases: readonly T[],
): readonly (readonly [string, T])[] {
  const names = new Set(cases.map(({ name }) => name));
  const areNames = names.size === cases.length && !names.has(undefined);
  return cases.map((one, index) => [areNames ? (one.name ?? '') : String(index + 1), one] as const);
}

function testCase(name: string, isPublic: boolean, body: TestCase['body']): TestCase {
  return create(TestCaseSchema, { name, public: isPublic, body });
}

const textCheckers = {
  tokens: CheckerKind.TOKENS,
  lines: CheckerKind.LINES,
  unordered_tokens: CheckerKind.UNORDERED_TOKENS,
} as const;

async function toChecker(checker: RecordChecker, blobs: BlobStore): Promise<Checker> {
  switch (checker.kind) {
    case 'exact':
      return create(CheckerSchema, { kind: CheckerKind.EXACT });
    case 'tokens':
    case 'lines':
    case 'unordered_tokens':
      return create(CheckerSchema, { kind: textCheckers[checker.kind], ignoreCase: checker.ignoreCase });
    case 'float':
    case 'json':
      return create(CheckerSchema, {
        kind: checker.kind === 'float' ? CheckerKind.FLOAT : CheckerKind.JSON,
        absoluteTolerance: checker.abs,
        relativeTolerance: checker.rel,
      });
    case 'default':
      return create(CheckerSchema, {
        kind: CheckerKind.DEFAULT_VALIDATOR,
        absoluteTolerance: checker.abs ?? 0,
        relativeTolerance: checker.rel ?? 0,
        ignoreCase: !checker.caseSensitive,
        spaceSensitive: checker.spaceChangeSensitive,
      });
    case 'validator': {
      const files: Record<string, Payload> = {};
      for (const [path, content] of Object.entries(checker.files)) files[path] = await storePayload(blobs, content);
      return create(CheckerSchema, {
        kind: checker.protocol === 'kattis' ? CheckerKind.KATTIS_VALIDATOR : CheckerKind.TESTLIB,
        program: await storePayload(blobs, checker.code),
        language: checker.language,
        files,
        arguments: [...checker.flags],
      });
    }
    case 'program':
      return create(CheckerSchema, {
        kind: CheckerKind.PROGRAM,
        program: await storePayload(blobs, checker.code),
        language: checker.language,
      });
  }
}

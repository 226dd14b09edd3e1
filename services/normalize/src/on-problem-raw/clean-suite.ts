import { clone } from '@bufbuild/protobuf';
import { type Checker, CheckerKind, type TestSuite, TestSuiteSchema } from '@tidemark/proto';
import { cleanCode, squeezeJson, type TestsIdentity } from '@tidemark/statement';

/**
 * The suite with line ends of its code made LF; inputs and outputs are bytes and stay as they are. Undefined when it
 * holds no test.
 */
export function cleanSuite(suite: TestSuite): TestSuite | undefined {
  if (suite.tests.length === 0) return undefined;
  const clean = clone(TestSuiteSchema, suite);
  clean.setupCode = cleanCode(clean.setupCode);
  for (const test of clean.tests) {
    if (test.body.case === 'asserts') test.body.value.code = cleanCode(test.body.value.code);
  }
  return clean;
}

/** What of a suite tells two problems apart: names and visibility of its tests do not. */
export function testsIdentity(suite: TestSuite): TestsIdentity {
  const { checker } = suite;
  return {
    form: `${suite.form} ${suite.language} ${suite.entryPoint} ${suite.setupCode}`,
    checker: JSON.stringify([
      checker?.kind ?? 0,
      checker?.absoluteTolerance ?? 0,
      checker?.relativeTolerance ?? 0,
      checker?.ignoreCase ?? false,
      checker?.program?.sha256 ?? '',
      checker?.language ?? '',
      // Said only where there is something to say: what was hashed before keeps its hash.
      ...(isValidator(checker) ? [checker.spaceSensitive, filesOf(checker), checker.arguments] : []),
    ]),
    cases: suite.tests.map(({ body }): string[] => {
      switch (body.case) {
        case 'stdin':
          return [
            latin1(body.value.input),
            body.value.expected === undefined ? 'absent' : `=${latin1(body.value.expected)}`,
          ];
        case 'call': {
          const named = Object.entries(body.value.namedArgumentsJson).sort(([a], [b]) => (a < b ? -1 : 1));
          return [
            ...body.value.argumentsJson.map(squeezeJson),
            ...named.map(([name, json]) => `${name}=${squeezeJson(json)}`),
            body.value.expectedJson === undefined ? 'absent' : `=${squeezeJson(body.value.expectedJson)}`,
            String(body.value.inPlaceArgument ?? ''),
          ];
        }
        case 'asserts':
          return [body.value.code];
        default:
          return [];
      }
    }),
  };
}

function isValidator(checker: Checker | undefined): checker is Checker {
  return checker !== undefined && checker.kind >= CheckerKind.DEFAULT_VALIDATOR;
}

const filesOf = ({ files }: Checker): readonly (readonly [string, string])[] =>
  Object.entries(files)
    .map(([path, { sha256 }]) => [path, sha256] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1));

/** Bytes as text, one character a byte, so that bytes which are no UTF-8 differ too. */
function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('latin1');
}

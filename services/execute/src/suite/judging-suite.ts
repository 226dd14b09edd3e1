import { clone } from '@bufbuild/protobuf';
import { type TestCase, type TestSuite, TestSuiteSchema } from '@tidemark/proto';

/** How many tests judge where there are more than the budget (MicroCoder, arXiv:2603.07779; DeepCoder). */
const LONGEST = 15;

/** The tests that judge: all of them up to `budget`, else the 15 longest by input bytes, in their order. */
export function judgingSuite(suite: TestSuite, budget: number): TestSuite {
  if (suite.tests.length <= budget) return suite;
  const bySize = suite.tests.map((test, index) => ({ index, bytes: inputBytes(test) }));
  bySize.sort((a, b) => b.bytes - a.bytes || a.index - b.index);
  const kept = new Set(bySize.slice(0, LONGEST).map(({ index }) => index));
  const judging = clone(TestSuiteSchema, suite);
  judging.tests = judging.tests.filter((_, index) => kept.has(index));
  return judging;
}

function inputBytes({ body }: TestCase): number {
  switch (body.case) {
    case 'stdin':
      return body.value.input.length;
    case 'call':
      return [...body.value.argumentsJson, ...Object.values(body.value.namedArgumentsJson)].reduce(
        (sum, text) => sum + text.length,
        0,
      );
    case 'asserts':
      return body.value.code.length;
    default:
      return 0;
  }
}

import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import {
  type CuratedProblem,
  CuratedProblemSchema,
  OriginKind,
  type ProblemVerified,
  type TestSuite,
  TestSuiteSchema,
} from '@tidemark/proto';

/** What a trainer gets of a problem, as far as it depends on the problem alone. Never a hidden test. */
export function curatedContent(problem: ProblemVerified, publicTests: CuratedProblem['publicTests']): CuratedProblem {
  const content = problem.content;
  return create(CuratedProblemSchema, {
    problemId: problem.problemId,
    version: problem.version,
    suiteHash: problem.suiteHash,
    sharesProcess: problem.sharesProcess,
    title: content?.title ?? '',
    starterCode: content?.starterCode ?? '',
    entryPoint: content?.entryPoint ?? '',
    languages: content?.languages ?? [],
    facets: content?.facets ?? {},
    ...(content && { taskKind: content.taskKind, testForm: content.testForm }),
    ...(content?.statement && { statement: content.statement }),
    ...(problem.limits && { limits: problem.limits }),
    ...(problem.origin && { origin: problem.origin }),
    ...(publicTests && { publicTests }),
  });
}

/**
 * The tests that the statement shows already, as a suite of their own; undefined when there are none. Field by field:
 * set-up code, a checker program and what a newer writer may add stay here.
 */
export function publicSuite(suiteBytes: Uint8Array): Uint8Array | undefined {
  const suite: TestSuite = fromBinary(TestSuiteSchema, suiteBytes);
  const shown = suite.tests.filter((test) => test.public);
  if (shown.length === 0) return undefined;
  const { form, language, entryPoint, checker } = suite;
  return toBinary(
    TestSuiteSchema,
    create(TestSuiteSchema, {
      form,
      language,
      entryPoint,
      tests: shown.map(({ name, body }) => ({ name, body, public: true })),
      ...(checker && {
        checker: {
          kind: checker.kind,
          absoluteTolerance: checker.absoluteTolerance,
          relativeTolerance: checker.relativeTolerance,
          ignoreCase: checker.ignoreCase,
        },
      }),
    }),
  );
}

/** Counts towards the cap on synthetic problems. An origin that is unknown counts as real: a set that says so is no generator's. */
export function isSynthetic(problem: ProblemVerified): boolean {
  return problem.origin?.kind === OriginKind.SYNTHETIC;
}

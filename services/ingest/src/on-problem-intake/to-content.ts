import { create, toBinary } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { type BlobStore, INLINE_LIMIT_BYTES, storePayload } from '@tidemark/blob-store';
import type { ProblemRecord, RecordSolution } from '@tidemark/formats';
import { hashOfFields } from '@tidemark/identity';
import {
  LimitsSchema,
  type Origin,
  OriginKind,
  OriginSchema,
  type ProblemContent,
  ProblemContentSchema,
  type Solution,
  SolutionSchema,
  TaskKind,
  TestForm,
  TestSuiteSchema,
} from '@tidemark/proto';
import { toTestSuite } from './to-test-suite.ts';

const originKinds = { real: OriginKind.REAL, synthetic: OriginKind.SYNTHETIC, unknown: OriginKind.UNKNOWN } as const;
const taskKinds = {
  program: TaskKind.STDIN_PROGRAM,
  function: TaskKind.FUNCTION,
  class: TaskKind.CLASS,
  repair: TaskKind.REPAIR,
  translation: TaskKind.TRANSLATION,
  multi_file: TaskKind.MULTI_FILE,
} as const;
const testForms = { stdin: TestForm.STDIN, call: TestForm.FUNCTION_CALL, assert: TestForm.ASSERT_SCRIPT } as const;

/** Solutions that may stand inside an event; with more of them all are stored, so that the event stays small. */
const INLINE_SOLUTIONS = 6;

/** Where a record says that it comes from. */
export function toOrigin(record: ProblemRecord): Origin {
  const { origin } = record;
  return create(OriginSchema, {
    namespace: record.namespace,
    recordId: record.recordId ?? '',
    kind: originKinds[origin.kind],
    licence: origin.licence,
    url: origin.url,
    platform: origin.platform,
    difficultyLabel: origin.difficultyLabel,
    ...(origin.publishedAt === undefined ? {} : { publishedAt: timestampFromDate(new Date(origin.publishedAt)) }),
    ...(origin.scrapedAt === undefined ? {} : { scrapedAt: timestampFromDate(new Date(origin.scrapedAt)) }),
  });
}

/** What a record says, as every stage reads it; big parts are stored first. */
export async function toContent(record: ProblemRecord, blobs: BlobStore): Promise<ProblemContent> {
  const suite = record.tests && (await toTestSuite(record.tests, record, blobs));
  const claims = [
    ...record.references.map((solution) => ({ solution, claimedRight: true })),
    ...record.knownWrong.map((solution) => ({ solution, claimedRight: false })),
  ];
  const inlineLimit = claims.length > INLINE_SOLUTIONS ? 0 : INLINE_LIMIT_BYTES;
  const solutions: Solution[] = [];
  for (const claim of claims) solutions.push(await toSolution(claim.solution, claim.claimedRight, inlineLimit, blobs));
  return create(ProblemContentSchema, {
    title: record.title,
    statement: await storePayload(blobs, record.statement),
    taskKind: taskKinds[record.taskKind],
    languages: [record.language],
    starterCode: record.starterCode,
    entryPoint: record.entryPoint,
    ...(suite === undefined ? {} : { testSuite: await storePayload(blobs, toBinary(TestSuiteSchema, suite)) }),
    testCount: record.tests?.cases.length ?? 0,
    testForm: record.tests === undefined ? TestForm.UNSPECIFIED : testForms[record.tests.form],
    solutions,
    limits: create(LimitsSchema, {
      cpuTimeMs: record.limits.cpuTimeMs ?? 0,
      wallTimeMs: record.limits.wallTimeMs ?? 0,
      memoryBytes: BigInt(record.limits.memoryBytes ?? 0),
      outputBytes: BigInt(record.limits.outputBytes ?? 0),
    }),
    facets: Object.fromEntries(Object.entries(record.facets).sort(([a], [b]) => (a < b ? -1 : 1))),
  });
}

/**
 * Hash of everything that makes a new version when it changes: the content, and where it comes from, but for the day on
 * which somebody scraped it again.
 */
export function contentHashOf(content: ProblemContent, origin: Origin): string {
  const { scrapedAt: _, ...lasting } = origin;
  return hashOfFields(toBinary(ProblemContentSchema, content), toBinary(OriginSchema, create(OriginSchema, lasting)));
}

async function toSolution(
  solution: RecordSolution,
  claimedRight: boolean,
  inlineLimit: number,
  blobs: BlobStore,
): Promise<Solution> {
  return create(SolutionSchema, {
    source: await storePayload(blobs, solution.code, inlineLimit),
    language: solution.language,
    claimedRight,
    author: solution.author,
  });
}

import { clone, create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { type BlobStore, INLINE_LIMIT_BYTES, readPayload, readPayloadText, storePayload } from '@tidemark/blob-store';
import {
  CleaningNoteSchema,
  type Payload,
  type ProblemContent,
  ProblemContentSchema,
  type ProblemNormalized,
  ProblemNormalizedSchema,
  type ProblemRaw,
  TestForm,
  type TestSuite,
  TestSuiteSchema,
} from '@tidemark/proto';
import { cleanCode, cleanStatement, identityHash, statementHash } from '@tidemark/statement';
import { cleanSuite, testsIdentity } from './clean-suite.ts';
import type { CleanedProblem } from './decide-normalization.ts';

/** A cleaned problem, as it will be published when nothing speaks against it. */
export interface NormalizedProblem {
  readonly cleaned: CleanedProblem;
  readonly event: ProblemNormalized;
}

/** Cleans a problem: reads what is stored, cleans it, stores what came out. */
export async function normalizeProblem(raw: ProblemRaw, blobs: BlobStore): Promise<NormalizedProblem> {
  const content: ProblemContent = raw.content ? clone(ProblemContentSchema, raw.content) : create(ProblemContentSchema);
  const source = content.statement ? await readPayloadText(blobs, content.statement) : '';
  const statement = cleanStatement(source);
  const suite = content.testSuite && cleanSuite(await readSuite(content.testSuite, blobs));
  if (suite?.checker?.program) suite.checker.program = await cleanProgram(suite.checker.program, blobs);
  const suiteBytes = suite ? toBinary(TestSuiteSchema, suite) : new Uint8Array();
  content.statement = await storePayload(blobs, statement.text);
  content.title = cleanStatement(content.title).text;
  content.starterCode = cleanCode(content.starterCode);
  for (const solution of content.solutions) {
    if (solution.source) solution.source = await cleanProgram(solution.source, blobs);
  }
  delete content.testSuite;
  if (suite) content.testSuite = await storePayload(blobs, suiteBytes);
  content.testCount = suite?.tests.length ?? 0;
  content.testForm = suite?.form ?? TestForm.UNSPECIFIED;
  const event = create(ProblemNormalizedSchema, {
    problemId: raw.problemId,
    version: raw.version,
    content,
    notes: statement.notes.map((note) => create(CleaningNoteSchema, note)),
    statementSha256: statementHash(statement.text),
    identitySha256: identityHash({
      statement: statement.text,
      languages: content.languages,
      entryPoint: content.entryPoint,
      starterCode: content.starterCode,
      tests: suite && testsIdentity(suite),
    }),
    ...(raw.origin === undefined ? {} : { origin: raw.origin }),
    ...(raw.ingestedAt === undefined ? {} : { ingestedAt: raw.ingestedAt }),
  });
  const statementBytes = Number(content.statement.sizeBytes);
  return { cleaned: { content, suite, statementBytes, suiteBytes: suiteBytes.length }, event };
}

async function readSuite(payload: Payload, blobs: BlobStore): Promise<TestSuite> {
  return fromBinary(TestSuiteSchema, await readPayload(blobs, payload));
}

/** A stored program with clean line ends. What stood inside the event stays there, and nothing else does. */
async function cleanProgram(payload: Payload, blobs: BlobStore): Promise<Payload> {
  const source = await readPayloadText(blobs, payload);
  const clean = cleanCode(source);
  return clean === source ? payload : await storePayload(blobs, clean, payload.inline ? INLINE_LIMIT_BYTES : 0);
}

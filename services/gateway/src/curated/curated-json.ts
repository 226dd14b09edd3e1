import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { Injectable } from '@nestjs/common';
import { BlobStore, readPayload, readPayloadText } from '@tidemark/blob-store';
import { sha256Hex } from '@tidemark/identity';
import {
  type CuratedProblem,
  type Payload,
  PayloadSchema,
  type TestCase,
  type TestSuite,
  TestSuiteSchema,
} from '@tidemark/proto';
import { binName, taskKindName, testFormName } from '../read-model/names.ts';
import { dateOf, intervalJson, originJson } from '../read-model/json.ts';

/** Curated problems in plain JSON, whole: what lies in the blob store is read. */
@Injectable()
export class CuratedJson {
  constructor(private readonly blobs: BlobStore) {}

  /** All that a trainer needs. */
  async whole(problem: CuratedProblem): Promise<object> {
    return {
      ...curatedSummary(problem),
      statement: problem.statement === undefined ? '' : await readPayloadText(this.blobs, problem.statement),
      starter_code: problem.starterCode,
      entry_point: problem.entryPoint,
      task_kind: taskKindName(problem.taskKind),
      test_form: testFormName(problem.testForm),
      languages: problem.languages,
      suite_hash: problem.suiteHash,
      shares_process: problem.sharesProcess,
      public_tests: problem.publicTests === undefined ? [] : await this.publicTests(problem.publicTests),
      limits: limitsJson(problem),
      origin: originJson(problem.origin),
      facets: problem.facets,
    };
  }

  /** The same message with every payload inline, and of the tests the public ones. */
  async inlined(problem: CuratedProblem): Promise<CuratedProblem> {
    const { statement, publicTests } = problem;
    const suite = publicTests && (await this.publicSuite(publicTests));
    return {
      ...problem,
      ...(statement !== undefined && { statement: inline(await readPayload(this.blobs, statement)) }),
      ...(suite !== undefined && { publicTests: inline(toBinary(TestSuiteSchema, suite)) }),
    };
  }

  /** The payload holds public tests alone; that each says so is checked here once more. */
  private async publicTests(payload: Payload): Promise<object[]> {
    return (await this.publicSuite(payload)).tests.map(testJson);
  }

  private async publicSuite(payload: Payload): Promise<TestSuite> {
    const suite = fromBinary(TestSuiteSchema, await readPayload(this.blobs, payload));
    return { ...suite, tests: suite.tests.filter((test) => test.public) };
  }
}

const inline = (bytes: Uint8Array): Payload =>
  create(PayloadSchema, { sha256: sha256Hex(bytes), sizeBytes: BigInt(bytes.length), inline: bytes });

/** What a list shows of a curated problem. */
export function curatedSummary(problem: CuratedProblem): object {
  return {
    problem_id: problem.problemId,
    version: problem.version,
    title: problem.title,
    namespace: problem.origin?.namespace ?? '',
    record_id: problem.origin?.recordId ?? '',
    bin: binName(problem.bin),
    predicted: problem.predicted,
    retest: problem.retest,
    value: problem.value,
    mixed_probability: problem.mixedProbability,
    mean: problem.mean,
    interval: intervalJson(problem.interval),
    attempts: problem.attempts,
    passes: problem.passes,
    target_version: problem.targetVersion,
    evaluation: Number(problem.evaluation),
    change: problem.change,
    published_at: dateOf(problem.publishedAt)?.toISOString() ?? null,
  };
}

function testJson({ name, body }: TestCase): object {
  const text = (bytes: Uint8Array | undefined) => (bytes === undefined ? undefined : new TextDecoder().decode(bytes));
  switch (body.case) {
    case 'stdin':
      return { name, input: text(body.value.input), expected: text(body.value.expected) };
    case 'call':
      // JSON texts stay texts: a number of the reader's host may not hold them.
      return { name, arguments_json: body.value.argumentsJson, expected_json: body.value.expectedJson };
    case 'asserts':
      return { name, code: body.value.code };
    case undefined:
      return { name };
  }
}

const limitsJson = ({ limits }: CuratedProblem): object | null =>
  limits === undefined
    ? null
    : {
        cpu_time_ms: limits.cpuTimeMs,
        wall_time_ms: limits.wallTimeMs,
        memory_bytes: Number(limits.memoryBytes),
        output_bytes: Number(limits.outputBytes),
      };

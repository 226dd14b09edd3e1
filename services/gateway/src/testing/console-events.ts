import { create, type MessageInitShape, toBinary } from '@bufbuild/protobuf';
import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import { curatedTopic, deadLetterTopic, type TopicDefinition, topics } from '@tidemark/event-log';
import { problemIdOf, sha256Hex } from '@tidemark/identity';
import {
  Bin,
  CheckerKind,
  CuratedProblemSchema,
  DeadLetterSchema,
  DifficultyEstimatedSchema,
  EvaluationRecordedSchema,
  EvaluationTrigger,
  ProblemNormalizedSchema,
  ProblemRawSchema,
  ProblemScoredSchema,
  ProblemStatusSchema,
  ProblemUniqueSchema,
  ProblemVerifiedSchema,
  Purpose,
  RolloutsGradedSchema,
  Split,
  Stage,
  StageOutcome,
  TestForm,
  TestSuiteSchema,
  Verdict,
} from '@tidemark/proto';
import type { StageHarness } from '@tidemark/stage-runtime/testing';

/** Events of a small stream, as the other services would write them: for specs that look at what people see. */

export const idOf = (name: string): string => problemIdOf('acme', name);
export const TARGET = 'model';
const WAY = [Stage.INGEST, Stage.NORMALIZE, Stage.DEDUP, Stage.EXECUTE, Stage.SCORE];
const START_MS = Date.UTC(2026, 10, 30, 12);
const SUITE_HASH = 'a'.repeat(64);

type StatusInit = Exclude<MessageInitShape<typeof ProblemStatusSchema>, { $typeName: unknown }>;

export function status(name: string, stage: Stage, init: StatusInit = {}) {
  return create(ProblemStatusSchema, {
    problemId: idOf(name),
    version: 1,
    stage,
    outcome: StageOutcome.PASSED,
    title: `Title of ${name}`,
    decidedAt: timestampFromMs(START_MS),
    ...(stage === Stage.INGEST && {
      origin: { namespace: 'acme', recordId: name, licence: 'MIT' },
      submitter: { name: 'local', sourceFile: 'set.jsonl', sourceRecord: 7n },
    }),
    ...init,
  });
}

/** Statuses of a problem that one stage stops. */
export function stopped(name: string, at: Stage, reason: string, init: StatusInit = {}) {
  const passed = WAY.slice(0, WAY.indexOf(at)).map((stage) => status(name, stage));
  const stop = { outcome: StageOutcome.REJECTED, reason, message: `It was stopped: ${reason}.`, ...init };
  return [...passed, status(name, at, stop)];
}

export const payloadOf = (content: string | Uint8Array) => {
  const inline = typeof content === 'string' ? new TextEncoder().encode(content) : content;
  return { sha256: sha256Hex(inline), sizeBytes: BigInt(inline.length), inline };
};

export const suiteOf = (tests: readonly { input: string; expected: string; public?: boolean }[]): Uint8Array =>
  toBinary(
    TestSuiteSchema,
    create(TestSuiteSchema, {
      form: TestForm.STDIN,
      checker: { kind: CheckerKind.TOKENS },
      tests: tests.map(({ input, expected, public: isPublic = false }, index) => ({
        name: String(index + 1),
        public: isPublic,
        body: {
          case: 'stdin' as const,
          value: { input: new TextEncoder().encode(input), expected: new TextEncoder().encode(expected) },
        },
      })),
    }),
  );

/** A problem with texts and tests that went all the way. */
export async function publishReady(
  harness: StageHarness,
  name: string,
  { original, cleaned, split = Split.TRAIN }: { original: string; cleaned: string; split?: Split },
): Promise<void> {
  const id = idOf(name);
  const common = { problemId: id, version: 1 };
  const content = (statement: string) => ({ title: `Title of ${name}`, statement: payloadOf(statement) });
  const suite = suiteOf([
    { input: '1 2', expected: '3', public: true },
    { input: 'hidden-input', expected: 'hidden-output' },
  ]);
  await harness.publish(topics.problemsRaw, create(ProblemRawSchema, { ...common, content: content(original) }));
  await harness.publish(
    topics.problemsNormalized,
    create(ProblemNormalizedSchema, {
      ...common,
      content: content(cleaned),
      notes: [{ code: 'removed_html', count: 2, detail: '' }],
    }),
  );
  await harness.publish(
    topics.problemsUnique,
    create(ProblemUniqueSchema, { ...common, split, clusterId: id, founderId: id, clusterSize: 2 }),
  );
  await harness.publish(
    topics.problemsVerified,
    create(ProblemVerifiedSchema, {
      ...common,
      split,
      suiteHash: SUITE_HASH,
      suite: payloadOf(suite),
      testCount: 2,
      sharesProcess: name === 'sum',
      judgeVersion: 'judge-1',
      references: [{ solutionSha256: 'b'.repeat(64), language: 'python', testsRun: 2, maxCpuTimeMs: 12 }],
    }),
  );
  await harness.publish(
    topics.problemsScored,
    create(ProblemScoredSchema, {
      ...common,
      score: 3.1,
      mean: { comprehension: 3, knowledge: 2, algorithmic: 4, implementation: 3, optimisation: 2 },
      predictor: { name: 'static-features', version: '1' },
    }),
  );
  await harness.publish(topics.problemsStatus, ...WAY.map((stage) => status(name, stage)));
}

/** A group of eight attempts, of which the first `passes` passed. */
export function graded(name: string, number: number, passes: number) {
  return create(RolloutsGradedSchema, {
    group: {
      groupId: `${name}-${number}`,
      target: TARGET,
      targetVersion: 1,
      checkpoint: `step-${number}`,
      problemId: idOf(name),
      version: 1,
      purpose: Purpose.TRAIN,
    },
    suiteHash: SUITE_HASH,
    judgeVersion: 'judge-1',
    submitter: { name: 'local' },
    gradedAt: timestampFromMs(START_MS + number * 60_000),
    verdicts: Array.from({ length: 8 }, (_, index) => ({
      index,
      verdict: index < passes ? Verdict.ACCEPTED : Verdict.WRONG_ANSWER,
      testsRun: 2,
      testsPassed: index < passes ? 2 : 1,
      cpuTimeMs: 10 + index,
      ...(index >= passes && { failingTest: '2', excerpt: `printed <b>${index}</b>` }),
    })),
  });
}

/** An estimate, and the evaluation that made it. */
export async function publishEstimate(
  harness: StageHarness,
  name: string,
  { evaluation, passes, attempts, bin, previousBin }: EstimateInit,
): Promise<void> {
  const [alpha, beta] = [1 + passes, 1 + attempts - passes];
  const mean = alpha / (alpha + beta);
  await harness.publish(
    topics.difficultyEstimated,
    create(DifficultyEstimatedSchema, {
      target: TARGET,
      problemId: idOf(name),
      version: 1,
      targetVersion: 1,
      suiteHash: SUITE_HASH,
      alpha,
      beta,
      mean,
      interval: { low: mean / 2, high: (1 + mean) / 2, level: 0.95, method: 'equal-tailed' },
      attempts,
      passes,
      bin,
      previousBin,
      reason: bin === previousBin ? 'kept' : 'mass_exceeds_enter',
      masses: { [Bin[bin].toLowerCase()]: 0.8 },
      evaluation: BigInt(evaluation),
      checkpoint: `step-${evaluation}`,
      estimatedAt: timestampFromMs(START_MS + evaluation * 60_000),
    }),
  );
}

interface EstimateInit {
  readonly evaluation: number;
  readonly passes: number;
  readonly attempts: number;
  readonly bin: Bin;
  readonly previousBin: Bin;
}

export async function publishEvaluation(
  harness: StageHarness,
  number: number,
  bins: Readonly<Record<string, number>>,
): Promise<void> {
  await harness.publish(
    topics.evaluationsRecorded,
    create(EvaluationRecordedSchema, {
      target: TARGET,
      number: BigInt(number),
      targetVersion: 1,
      checkpoint: `step-${number}`,
      trigger: EvaluationTrigger.GROUPS,
      bins: { ...bins },
      movedCount: 1,
      evaluatedAt: timestampFromMs(START_MS + number * 60_000),
    }),
  );
}

const compacted = { partitions: 2, cleanup: 'compact', retentionMs: 86_400_000, logAppendTime: false } as const;

/** Puts problems into the working set of the target, the first one first. */
export async function publishCurated(harness: StageHarness, names: readonly string[]): Promise<void> {
  const topic = curatedTopic(TARGET);
  await harness.log.admin.ensureTopics([{ name: topic.name, ...compacted }]);
  await harness.publish(
    topic,
    ...names.map((name, index) =>
      create(CuratedProblemSchema, {
        problemId: idOf(name),
        version: 1,
        target: TARGET,
        targetVersion: 1,
        title: `Title of ${name}`,
        origin: { namespace: 'acme', recordId: name },
        bin: index % 2 === 0 ? Bin.MEDIUM : Bin.HARD,
        sharesProcess: name === 'sum',
        predicted: index % 3 !== 0,
        value: 1 - index / (names.length + 1),
        mixedProbability: 0.9,
        mean: 0.4,
        interval: { low: 0.2, high: 0.6, level: 0.95, method: 'equal-tailed' },
        attempts: index % 3 === 0 ? 8 : 0,
        passes: index % 3 === 0 ? 3 : 0,
        change: 'entered',
      }),
    ),
  );
}

/** Lays a raw record aside, as normalize would. */
export async function publishDeadLetter(harness: StageHarness, name: string): Promise<void> {
  const topic = deadLetterTopic(topics.problemsRaw.name, 'normalize');
  await harness.log.admin.ensureTopics([{ name: topic, ...compacted, cleanup: 'delete' }]);
  const value = toBinary(ProblemRawSchema, create(ProblemRawSchema, { problemId: idOf(name), version: 1 }));
  const letter = create(DeadLetterSchema, {
    topic: topics.problemsRaw.name,
    key: new TextEncoder().encode(idOf(name)),
    value,
    service: 'normalize',
    errorCode: 'unforeseen',
    errorMessage: 'nobody foresaw this',
    attempts: 1,
    deadLetteredAt: timestampFromMs(START_MS),
  });
  const definition = {
    ...topics.problemsRaw,
    name: topic,
    schema: DeadLetterSchema,
    key: () => idOf(name),
    revisioned: false,
    cleanup: 'delete',
  };
  await harness.publish(definition as unknown as TopicDefinition<typeof DeadLetterSchema>, letter);
}

/** All of it: some ready, one held out, some stopped, one aside, a target with a history. */
export async function publishSmallStream(harness: StageHarness): Promise<void> {
  await publishReady(harness, 'sum', {
    original: '<p>Add <b>two</b> numbers.</p>',
    cleaned:
      'Add **two** numbers.\n\n- read a\n- read b\n\n<img src=x onerror="window.hurt = true"><script>window.hurt = true</script>',
  });
  await publishReady(harness, 'product', { original: 'Multiply.', cleaned: 'Multiply.' });
  await publishReady(harness, 'secret', { original: 'Held out.', cleaned: 'Held out.', split: Split.HELD_OUT });
  await harness.publish(
    topics.problemsStatus,
    ...stopped('twin', Stage.DEDUP, 'near_duplicate', {
      evidence: [{ kind: 'duplicate_of', text: 'It resembles another.', subjectId: idOf('sum'), value: 0.91 }],
    }),
    ...stopped('untested', Stage.NORMALIZE, 'no_tests'),
    ...stopped('broken', Stage.EXECUTE, 'reference_failed'),
    status('fresh', Stage.INGEST),
    status('aside', Stage.INGEST),
  );
  await publishDeadLetter(harness, 'aside');
  await harness.publish(topics.rolloutsGraded, graded('sum', 1, 2), graded('sum', 2, 5));
  await publishEstimate(harness, 'sum', {
    evaluation: 1,
    passes: 2,
    attempts: 8,
    bin: Bin.MEDIUM,
    previousBin: Bin.UNSPECIFIED,
  });
  await publishEstimate(harness, 'sum', {
    evaluation: 2,
    passes: 7,
    attempts: 16,
    bin: Bin.HARD,
    previousBin: Bin.MEDIUM,
  });
  await publishEvaluation(harness, 1, { medium: 1 });
  await publishEvaluation(harness, 2, { hard: 1 });
  await publishCurated(harness, ['sum', 'product']);
}

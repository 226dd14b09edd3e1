import { create, fromBinary } from '@bufbuild/protobuf';
import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import { BlobStore, readPayload, readPayloadText } from '@tidemark/blob-store';
import { topics } from '@tidemark/event-log';
import { type AnswerForm, canonicalLanguage, isAboutProgram } from '@tidemark/judging';
import {
  AnswerForm as WireAnswerForm,
  type Attempt,
  type AttemptVerdict,
  type ProblemVerified,
  type RolloutsGraded,
  RolloutsGradedSchema,
  Split,
  type TargetDeclared,
  TestForm,
  type TestSuite,
  TestSuiteSchema,
  Verdict,
} from '@tidemark/proto';
import {
  DependencyFault,
  InjectConfig,
  type JobWorker,
  type LeasedJob,
  type Parked,
  RecordFault,
  StageDatabase,
  StageMetrics,
  type StageTransaction,
  type Tally,
  Worker,
} from '@tidemark/stage-runtime';
import type { ExecuteConfig } from '../execute.config.ts';
import type { Judge, JudgeResult } from '../judge/judge.ts';
import { KNOWN_LANGUAGES } from '../languages/detect-languages.ts';
import { JudgeHost } from '../judging/judge-host.ts';
import { Suspicions } from '../judging/suspicions.ts';
import { saveEnvironmentFailures } from '../postgres/environment-failures.ts';
import { countWaitingForLanguage, type GroupColumns, parkedGroups } from '../postgres/parked.ts';
import { readSuite } from '../postgres/suites.ts';
import { forgetSuspicions } from '../postgres/suspicions.ts';
import { readTarget } from '../postgres/targets.ts';
import { toLimits } from '../suite/limits.ts';
import { toForm } from '../suite/to-form.ts';
import { type Grading, gradingJobs, originOf } from './grading-jobs.ts';
import { type Bench, judgeAttempt, languageOf, type RunProgram } from './judge-attempt.ts';
import { saysNothingOfTheModel } from './to-wire-verdict.ts';

type Outcome =
  | { readonly kind: 'graded'; readonly graded: RolloutsGraded }
  /** Its language is missing here. */
  | { readonly kind: 'waits'; readonly language: string };

/** Grading job → `rollouts.graded`: every attempt gets one verdict. */
@Worker()
export class GradeRollouts implements JobWorker<Grading, Outcome> {
  readonly kind = gradingJobs;
  readonly concurrency;
  readonly bound;
  private readonly verdicts: Tally;

  constructor(
    private readonly host: JudgeHost,
    private readonly database: StageDatabase,
    private readonly blobs: BlobStore,
    private readonly suspicions: Suspicions,
    metrics: StageMetrics,
    @InjectConfig() private readonly config: ExecuteConfig,
  ) {
    this.verdicts = metrics.counter('tidemark_verdicts_total', 'Attempts judged, by verdict.', ['verdict']);
    this.concurrency = config.workers;
    this.bound = config.maxOpenJobs;
  }

  async run(job: LeasedJob<Grading>, signal: AbortSignal): Promise<Outcome> {
    const { group, judgedVersion } = job.payload;
    const identity = group.group;
    if (identity === undefined) throw new RecordFault('no_group', 'the group is not identified');
    const judgedBy = await readSuite(this.database, identity.problemId, judgedVersion);
    const target = await readTarget(this.database, identity.target, identity.targetVersion);
    if (!judgedBy || !target) throw new RecordFault('unknown_problem', 'its suite or its target is gone');
    const { event: problem, together } = judgedBy;
    const bench = await this.benchOf(problem, target, together);
    const outputs = await this.outputsOf(group.attempts);
    const used = languagesOf(outputs, bench);
    const language = await this.missingLanguage(used);
    if (language !== undefined) return { kind: 'waits', language };
    const { verdicts, judgeVersion } = await this.host.use('ordinary', async (judge) => ({
      verdicts: await this.judgeAll(job, outputs, bench, judge, signal),
      judgeVersion: judge.versionFor([...bench.languages, ...checkersOf(bench)]),
    }));
    const graded = create(RolloutsGradedSchema, {
      group: { ...identity, version: judgedVersion },
      verdicts,
      suiteHash: problem.suiteHash,
      judgeVersion,
      ...(group.submitter ? { submitter: group.submitter } : {}),
      gradedAt: timestampFromMs(Date.now()),
      heldOut: problem.split === Split.HELD_OUT,
    });
    return { kind: 'graded', graded };
  }

  async complete(tx: StageTransaction, job: LeasedJob<Grading>, outcome: Outcome): Promise<void> {
    await forgetSuspicions(tx, job);
    if (outcome.kind === 'waits') return await parkedGroups.park(tx, [toWaiting(job, outcome.language)]);
    const { graded } = outcome;
    tx.publish(job, topics.rolloutsGraded, graded);
    tx.afterCommit(() => {
      for (const { verdict } of graded.verdicts) this.verdicts.inc({ verdict: Verdict[verdict].toLowerCase() });
    });
    const failures = graded.verdicts.filter(({ verdict }) => saysNothingOfTheModel(verdict));
    if (graded.group) await saveEnvironmentFailures(tx, graded.group, failures);
  }

  async fail(tx: StageTransaction, job: LeasedJob<Grading>, error: Error): Promise<void> {
    const code = error instanceof RecordFault ? error.code : 'grading_failed';
    await tx.layAside(originOf(job), code, error.message, job.attempt);
    await forgetSuspicions(tx, job);
  }

  /** @throws DependencyFault when so many groups wait for a language already that this one has to stay a job */
  private async missingLanguage(used: readonly string[]): Promise<string | undefined> {
    for (const one of used) {
      if (await this.host.speaks(one)) continue;
      const { maxWaitingForLanguage: most } = this.config;
      if ((await countWaitingForLanguage(this.database, most)) < most) return one;
      throw new DependencyFault('language', `${one} is missing here, and ${most} groups wait already`);
    }
    return undefined;
  }

  private async benchOf(problem: ProblemVerified, target: TargetDeclared, together: boolean): Promise<Bench> {
    if (!problem.suite) throw new RecordFault('unknown_problem', 'the problem has no suite');
    const suite = fromBinary(TestSuiteSchema, await readPayload(this.blobs, problem.suite));
    const form = await toForm(suite, this.blobs);
    const { content } = problem;
    return {
      form: form.kind === 'asserts' ? { ...form, together } : form,
      limits: toLimits(problem.limits),
      testNames: suite.tests.map(({ name }) => name),
      starterCode: content?.starterCode ?? '',
      setupCode: suite.setupCode,
      entryPoint: content?.entryPoint ?? '',
      languages: answeringLanguages(suite, problem),
      answerForm: answerFormOf(target),
    };
  }

  private async outputsOf(attempts: readonly Attempt[]): Promise<string[]> {
    const outputs: string[] = [];
    for (const { output } of attempts) outputs.push(output ? await readPayloadText(this.blobs, output) : '');
    return outputs;
  }

  private async judgeAll(
    job: LeasedJob<Grading>,
    outputs: readonly string[],
    bench: Bench,
    judge: Judge,
    signal: AbortSignal,
  ): Promise<AttemptVerdict[]> {
    // Equal programs of a group run once.
    const results = new Map<string, JudgeResult>();
    const { form, limits } = bench;
    const run: RunProgram = async ({ source, sha256, language }) => {
      const known = results.get(`${language} ${sha256}`);
      if (known) return known;
      const result = await judge.judge({ language, source }, form, limits, { signal, proven: true });
      const { verdict, detail } = result;
      if (!isAboutProgram(verdict)) {
        await this.suspicions.settle({ job, program: sha256, language, verdict, detail }, judge, signal);
      }
      results.set(`${language} ${sha256}`, result);
      return result;
    };
    const verdicts: AttemptVerdict[] = [];
    for (const [at, attempt] of job.payload.group.attempts.entries()) {
      verdicts.push(await judgeAttempt(attempt, outputs[at] ?? '', bench, run));
      signal.throwIfAborted();
    }
    return verdicts;
  }
}

/**
 * Languages in which a problem may be answered. Tests that call a function are in that function's language. A problem
 * that names none takes any, that of its references first.
 */
function answeringLanguages(suite: TestSuite, problem: ProblemVerified): string[] {
  if (suite.form !== TestForm.STDIN) {
    const [reference] = problem.references;
    return [canonicalLanguage(suite.language || problem.content?.languages[0] || reference?.language || 'python')];
  }
  const named = (problem.content?.languages ?? []).map(canonicalLanguage);
  const references = problem.references.map(({ language }) => canonicalLanguage(language));
  return [...new Set(named.length > 0 ? named : [...references, ...KNOWN_LANGUAGES])];
}

/** What has to be there to judge these answers. */
function languagesOf(outputs: readonly string[], bench: Bench): string[] {
  const used = outputs.flatMap((output) => languageOf(output, bench) ?? []);
  return [...new Set([...used, ...checkersOf(bench)])];
}

function checkersOf({ form }: Bench): string[] {
  return form.kind === 'stdin' && form.checker.kind === 'program' ? [form.checker.language] : [];
}

/** A group as it waits for a language, by the suite of the version that it was to be graded by. */
function toWaiting(job: LeasedJob<Grading>, language: string): Parked<GroupColumns> {
  const { group, judgedVersion } = job.payload;
  return {
    origin: originOf(job),
    submitter: group.submitter?.name ?? '',
    columns: {
      target: group.group?.target ?? '',
      target_version: group.group?.targetVersion ?? 0,
      problem_id: group.group?.problemId ?? '',
      problem_version: judgedVersion,
      language,
    },
  };
}

function answerFormOf({ answerForm, sampling }: TargetDeclared): AnswerForm {
  if (answerForm !== WireAnswerForm.COMPLETION) return { kind: 'chat' };
  return { kind: 'completion', stopSequences: sampling?.stopSequences ?? [] };
}

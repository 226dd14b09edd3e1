import { fromBinary, toBinary } from '@bufbuild/protobuf';
import { BlobStore, readPayload, readPayloadText, storePayload } from '@tidemark/blob-store';
import { topics } from '@tidemark/event-log';
import { canonicalLanguage, type Limits, type TestForm } from '@tidemark/judging';
import { type ProblemUnique, TestForm as WireForm, type TestSuite, TestSuiteSchema } from '@tidemark/proto';
import {
  InjectConfig,
  type JobWorker,
  type LeasedJob,
  RecordFault,
  type Sql,
  StageDatabase,
  type StageTransaction,
  Worker,
} from '@tidemark/stage-runtime';
import type { ExecuteConfig } from '../execute.config.ts';
import type { Judge } from '../judge/judge.ts';
import { JudgeHost } from '../judging/judge-host.ts';
import { Suspicions } from '../judging/suspicions.ts';
import { lockProblems, readProblem, saveProblems } from '../postgres/problems.ts';
import { readSuite, saveSuites } from '../postgres/suites.ts';
import { forgetSuspicions } from '../postgres/suspicions.ts';
import { withdrawnVersions } from '../postgres/withdrawals.ts';
import { judgingSuite } from '../suite/judging-suite.ts';
import { toLimits } from '../suite/limits.ts';
import { toChecker, toForm, UnusableSuiteError } from '../suite/to-form.ts';
import { completeSuite, type Reference } from './complete-suite.ts';
import {
  decideOutcome,
  type ReferenceResult,
  type VerificationOutcome,
  waitingForForm,
  waitingForLanguage,
} from './decide-outcome.ts';
import { toGivenUp, toStatus, toSuiteChanged, toVerified, toWithdrawal, type VerificationRun } from './to-events.ts';
import { type Verification, verificationJob, verificationJobs } from './verification-jobs.ts';

type Verified = {
  readonly outcome: Exclude<VerificationOutcome, { kind: 'environment' }>;
  readonly run: VerificationRun | undefined;
};

/** Verification job → `problems.verified`, or a status that says why not. */
@Worker()
export class VerifyProblem implements JobWorker<Verification, Verified | undefined> {
  readonly kind = verificationJobs;
  readonly concurrency;
  readonly bound;

  constructor(
    private readonly host: JudgeHost,
    private readonly database: StageDatabase,
    private readonly blobs: BlobStore,
    private readonly suspicions: Suspicions,
    @InjectConfig() private readonly config: ExecuteConfig,
  ) {
    this.concurrency = config.workers;
    this.bound = config.maxOpenJobs;
  }

  /** Undefined when the problem moved on or was withdrawn in the meantime. */
  async run(job: LeasedJob<Verification>, signal: AbortSignal): Promise<Verified | undefined> {
    const { payload } = job;
    const problem = await readProblem(this.database, payload.problemId);
    if (problem?.version !== payload.version || problem.state !== 'verifying') return undefined;
    if (await isWithdrawn(this.database, payload)) return undefined;
    return await this.host.use('urgent', (judge) => this.verify(job, problem.event, judge, signal));
  }

  async complete(tx: StageTransaction, job: LeasedJob<Verification>, verified: Verified | undefined): Promise<void> {
    const { problemId, version } = job.payload;
    await forgetSuspicions(tx, job);
    const known = (await lockProblems(tx, [problemId])).get(problemId);
    if (known?.version !== version || known.state !== 'verifying') return;
    // Nothing is said of what is withdrawn; it is verified when that is taken back.
    if (await isWithdrawn(tx, job.payload)) return await saveProblems(tx, [{ ...known, state: 'waiting' }]);
    // Taken back since the run was left out.
    if (!verified) return await tx.enqueue(verificationJobs, [verificationJob(job, problemId, version)]);
    const nowMs = Date.now();
    const { outcome, run } = verified;
    // Cluster and split may have changed while the references ran: the newest event's are published.
    const problem = known.event;
    tx.publish(job, topics.problemsStatus, toStatus(problem, outcome, run?.testCount ?? 0, nowMs));
    if (outcome.kind === 'verified' && run) {
      const event = toVerified(problem, run);
      const before =
        (await readSuite(tx, problemId, version)) ?? (await readSuite(tx, problemId, known.verifiedVersion));
      if (before && before.event.suiteHash !== event.suiteHash) {
        tx.publish(job, topics.suitesChanged, toSuiteChanged(before.event, event, nowMs));
      }
      await saveSuites(tx, [{ event, together: run.together }]);
      tx.publish(job, topics.problemsVerified, event);
      await saveProblems(tx, [{ ...known, state: 'verified', verifiedVersion: version }]);
      return;
    }
    const rejected = outcome.kind === 'rejected';
    if (rejected && known.verifiedVersion > 0) {
      tx.publish(job, topics.problemsWithdrawn, toWithdrawal(problem, outcome.reason, nowMs));
    }
    const verifiedVersion = rejected ? 0 : known.verifiedVersion;
    const waitsFor = (outcome.kind === 'waiting' && outcome.languages) || [];
    await saveProblems(tx, [{ ...known, state: rejected ? 'rejected' : 'waiting', verifiedVersion, waitsFor }]);
  }

  async fail(tx: StageTransaction, job: LeasedJob<Verification>, error: Error): Promise<void> {
    await forgetSuspicions(tx, job);
    const known = (await lockProblems(tx, [job.payload.problemId])).get(job.payload.problemId);
    if (known?.version !== job.payload.version || known.state !== 'verifying') return;
    if (!(await isWithdrawn(tx, job.payload))) {
      const givenUp = toGivenUp(known.event, error, Date.now());
      tx.publish(job, topics.problemsStatus, givenUp);
      if (known.origin) await tx.layAside(known.origin, givenUp.reason, error.message, job.attempt);
    }
    await saveProblems(tx, [{ ...known, state: 'waiting' }]);
  }

  private async verify(
    job: LeasedJob<Verification>,
    problem: ProblemUnique,
    judge: Judge,
    signal: AbortSignal,
  ): Promise<Verified> {
    const content = problem.content;
    if (content?.testSuite === undefined) {
      return { outcome: { kind: 'waiting', reason: 'tests_missing', message: 'It has no tests yet.' }, run: undefined };
    }
    const whole = fromBinary(TestSuiteSchema, await readPayload(this.blobs, content.testSuite));
    const chosen = judgingSuite(whole, this.config.maxJudgingTests);
    const limits = toLimits(content.limits);
    try {
      const programs = await this.referencesOf(problem, chosen);
      const form = formKindOf(chosen);
      const known = programs.filter(({ language }) => judge.speaks(language, form));
      const checker = chosen.form === WireForm.STDIN ? await toChecker(chosen.checker, this.blobs) : undefined;
      if (checker?.kind === 'program' && !judge.speaks(checker.language)) {
        return { outcome: waitingForLanguage([checker]), run: undefined };
      }
      if (programs.length > 0 && known.length === 0) {
        const missing = programs.filter(({ language }) => !judge.speaks(language));
        return { outcome: missing.length > 0 ? waitingForLanguage(missing) : waitingForForm(programs), run: undefined };
      }
      const completion = await completeSuite(chosen, known, this.blobs, judge, limits, signal);
      if (completion.kind === 'environment') return await this.endAfter(job, completion, judge, signal);
      if (completion.kind !== 'complete') return { outcome: completion, run: undefined };
      const { suite } = completion;
      const { references, together } = await this.runReferences(programs, suite, limits, judge, signal);
      const outcome = decideOutcome(references);
      if (outcome.kind === 'environment') return await this.endAfter(job, outcome, judge, signal);
      const payload =
        suite === whole ? content.testSuite : await storePayload(this.blobs, toBinary(TestSuiteSchema, suite));
      const testCount = suite.tests.length;
      const used = [
        ...known.map(({ language }) => language),
        ...(checker?.kind === 'program' ? [checker.language] : []),
      ];
      const judgeVersion = judge.versionFor(used);
      return { outcome, run: { references, suite: payload, testCount, limits, judgeVersion, together } };
    } catch (error) {
      if (!(error instanceof UnusableSuiteError)) throw error;
      const message = `Its tests can't judge: ${error.message}.`;
      return { outcome: { kind: 'rejected', reason: error.code, message, evidence: [] }, run: undefined };
    }
  }

  /** Waits for the machine; a reference that breaks a sandbox which works ends its problem's verification. */
  private async endAfter(
    job: LeasedJob<Verification>,
    failure: Extract<VerificationOutcome, { kind: 'environment' }>,
    judge: Judge,
    signal: AbortSignal,
  ): Promise<never> {
    await this.suspicions.settle({ ...failure, job }, judge, signal);
    throw new RecordFault(
      failure.verdict,
      `reference ${failure.program} ends in ${failure.verdict}: ${failure.detail}`,
    );
  }

  private async referencesOf(problem: ProblemUnique, suite: TestSuite): Promise<Reference[]> {
    const references: Reference[] = [];
    for (const { source, language, claimedRight } of problem.content?.solutions ?? []) {
      if (!claimedRight || source === undefined) continue;
      const program = withSetup(suite, await readPayloadText(this.blobs, source));
      references.push({ sha256: source.sha256, language: canonicalLanguage(language), source: program });
    }
    return references;
  }

  /** Assertions run apart from the program; where references pass only together with them, together. */
  private async runReferences(
    programs: readonly Reference[],
    suite: TestSuite,
    limits: Limits,
    judge: Judge,
    signal: AbortSignal,
  ): Promise<{ references: ReferenceResult[]; together: boolean }> {
    const form = await toForm(suite, this.blobs);
    const runAll = async (how: TestForm): Promise<ReferenceResult[]> => {
      const results: ReferenceResult[] = [];
      for (const { sha256, language, source } of programs) {
        const result = await judge.judge({ language, source }, how, limits, { signal });
        const failing = result.failingTest === undefined ? undefined : suite.tests[result.failingTest];
        const failingAssertion = failing?.body.case === 'asserts' ? failing.body.value.code.trim() : '';
        results.push({ sha256, language, result, failingTest: failing?.name ?? '', failingAssertion });
      }
      return results;
    };
    const apart = await runAll(form);
    if (form.kind !== 'asserts' || decideOutcome(apart).kind !== 'rejected')
      return { references: apart, together: false };
    return { references: await runAll({ ...form, together: true }), together: true };
  }
}

function formKindOf({ form }: TestSuite): TestForm['kind'] {
  if (form === WireForm.FUNCTION_CALL) return 'call';
  return form === WireForm.ASSERT_SCRIPT ? 'asserts' : 'stdin';
}

async function isWithdrawn(sql: Sql, { problemId, version }: Verification): Promise<boolean> {
  return ((await withdrawnVersions(sql, [problemId])).get(problemId) ?? 0) >= version;
}

/** A suite's set-up code runs before the program, in its namespace. */
function withSetup(suite: TestSuite, program: string): string {
  return suite.setupCode === '' ? program : `${suite.setupCode}\n${program}`;
}

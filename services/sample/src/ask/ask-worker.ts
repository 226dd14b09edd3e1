import { BlobStore, readPayloadText } from '@tidemark/blob-store';
import { topics } from '@tidemark/event-log';
import { sha256Hex } from '@tidemark/identity';
import { AnswerForm, StopReason, type TargetDeclared } from '@tidemark/proto';
import {
  DependencyFault,
  InjectConfig,
  type JobWorker,
  type LeasedJob,
  RecordFault,
  StageDatabase,
  type StageTransaction,
  Worker,
} from '@tidemark/stage-runtime';
import type { EndpointCall, SampledText } from '../endpoint/model-endpoint.ts';
import { PoliteEndpoint, type PoliteOutcome } from '../endpoint/polite-endpoint.ts';
import { addAnswers, filledSlots, takeAnswers } from '../postgres/answers.ts';
import { type KnownProblem, loadProblems } from '../postgres/problems.ts';
import { loadRequest, setStates } from '../postgres/requests.ts';
import { loadTargets } from '../postgres/targets.ts';
import { renderPrompt } from '../prompt/render-prompt.ts';
import { decideRequest } from '../requests/decide-request.ts';
import type { SampleConfig } from '../sample.config.ts';
import { askJobs } from './ask-jobs.ts';
import { chooseAnswers } from './choose-answers.ts';
import { keepOutput } from './keep-output.ts';
import { type PlannedCall, planCalls } from './plan-calls.ts';
import { toSubmission } from './to-submission.ts';

/** Rounds without a single answer before the job gives way to others. */
const FRUITLESS_ROUNDS = 4;

/** What became of a job. */
type Asked =
  | { readonly kind: 'answered' }
  /** No more answers will come; those that came are the group. */
  | { readonly kind: 'refused'; readonly reason: string }
  /** The request is not there any more, or waits again. */
  | { readonly kind: 'void' };

interface Asking {
  readonly requestId: string;
  readonly attempts: number;
  readonly call: Omit<EndpointCall, 'choices' | 'seed'>;
  readonly promptHash: string;
  readonly problemVersion: number;
  readonly targetVersion: number;
}

/** A request → as many answers as it wants, each stored as it comes → `rollouts.submitted`. */
@Worker()
export class AskWorker implements JobWorker<string, Asked> {
  readonly kind = askJobs;
  readonly concurrency: number;

  constructor(
    private readonly database: StageDatabase,
    private readonly blobs: BlobStore,
    private readonly endpoint: PoliteEndpoint,
    @InjectConfig() private readonly config: SampleConfig,
  ) {
    this.concurrency = config.groupsAtOnce;
  }

  async run(job: LeasedJob<string>, signal: AbortSignal): Promise<Asked> {
    const kept = await loadRequest(this.database, job.payload);
    if (kept === undefined) return { kind: 'void' };
    const { request } = kept;
    const targets = await loadTargets(this.database, [request.target]);
    const [problem] = await loadProblems(this.database, [request.problemId]);
    const decision = decideRequest(request, targets, problem);
    if (decision.kind === 'wait') return { kind: 'refused', reason: `${decision.for}_gone` };
    if (decision.kind === 'refuse') return { kind: 'refused', reason: decision.reason };
    const asking = await this.prepare(request.requestId, request.attempts, decision.target, decision.problem);
    await this.collect(asking, signal);
    return { kind: 'answered' };
  }

  async complete(tx: StageTransaction, job: LeasedJob<string>, result: Asked): Promise<void> {
    if (result.kind !== 'void') await this.end(tx, job, result.kind === 'refused' ? result.reason : '');
  }

  async fail(tx: StageTransaction, job: LeasedJob<string>, error: Error): Promise<void> {
    await this.end(tx, job, error instanceof RecordFault ? error.code : 'failed');
  }

  /**
   * Submits what came, which was paid for: all of the group, or as much as there will be.
   *
   * @param reason why no more will come; empty when all came
   */
  private async end(tx: StageTransaction, job: LeasedJob<string>, reason: string): Promise<void> {
    const requestId = job.payload;
    const kept = await loadRequest(tx, requestId);
    const answers = chooseAnswers(await takeAnswers(tx, requestId));
    const [first] = answers;
    if (kept === undefined) return;
    const { request } = kept;
    // Answers that a replica of the release before kept carry no versions: then those asked for.
    const targetVersion = first?.targetVersion || request.targetVersion;
    const problemVersion = first?.problemVersion || request.version;
    const target = (await loadTargets(tx, [request.target])).find(({ version }) => version === targetVersion);
    if (first === undefined || target === undefined) {
      await setStates(tx, [{ requestId, state: 'refused', reason }]);
      return;
    }
    const [hour] = await tx.query<{ hour: number }>('SELECT floor(extract(epoch FROM now()) / 3600)::int AS hour');
    const submission = { request, target, problemVersion, answers, shortOf: reason, intakeHour: hour?.hour ?? 0 };
    tx.publish(job, topics.rolloutsSubmitted, toSubmission(submission));
    await setStates(tx, [{ requestId, state: 'done', reason }]);
  }

  private async prepare(
    requestId: string,
    attempts: number,
    target: TargetDeclared,
    problem: KnownProblem,
  ): Promise<Asking> {
    const shape = target.answerForm === AnswerForm.COMPLETION ? 'completion' : 'chat';
    const statement = await readPayloadText(this.blobs, problem.statement);
    const prompt = renderPrompt(target.promptTemplate, shape, { ...problem, statement });
    return {
      requestId,
      attempts,
      promptHash: sha256Hex(prompt),
      problemVersion: problem.version,
      targetVersion: target.version,
      call: {
        baseUrl: target.endpointUrl,
        model: target.endpointModel,
        shape,
        prompt,
        temperature: target.sampling?.temperature ?? 1,
        topP: target.sampling?.topP ?? 0,
        maxTokens: target.sampling?.maxTokens ?? 0,
        stopSequences: target.sampling?.stopSequences ?? [],
        tokenLimitName: 'max_tokens',
      },
    };
  }

  /** Asks until every slot is filled. What came is kept at once, so a crash or a failing endpoint loses none of it. */
  private async collect(asking: Asking, signal: AbortSignal): Promise<void> {
    const { requestId, attempts, promptHash, call } = asking;
    for (let fruitless = 0; ; ) {
      const filled = await filledSlots(this.database, requestId, promptHash);
      const missing = Array.from({ length: attempts }, (_, slot) => slot).filter((slot) => !filled.has(slot));
      if (missing.length === 0) return;
      signal.throwIfAborted();
      const oneChoice = this.endpoint.givesOneChoice(call.baseUrl, call.model);
      const calls = planCalls(missing, { requestId, oneChoice, callsAtOnce: this.config.callsAtOnce });
      const settled = await Promise.allSettled(calls.map((planned) => this.askFor(asking, planned, signal)));
      const outcomes = settled.map((one) => {
        if (one.status === 'rejected') throw one.reason;
        return one.value;
      });
      // One refused call of a round that brought answers is put again: what it asked for, others may bring.
      if (outcomes.some(({ kind }) => kind === 'answered')) {
        fruitless = 0;
        continue;
      }
      fruitless += 1;
      for (const outcome of outcomes) this.insistOn(outcome, call.baseUrl, fruitless);
    }
  }

  private async askFor(asking: Asking, planned: PlannedCall, signal: AbortSignal): Promise<PoliteOutcome> {
    const { slots, seed } = planned;
    const outcome = await this.endpoint.ask({ ...asking.call, choices: slots.length, seed }, signal);
    if (outcome.kind === 'answered') await this.keep(asking, slots, outcome);
    return outcome;
  }

  private async keep(
    { requestId, attempts, promptHash, problemVersion, targetVersion }: Asking,
    slots: readonly number[],
    { texts, put }: PoliteOutcome & { kind: 'answered' },
  ): Promise<void> {
    // A seed is one text's only where one text was asked for.
    const seed = put.choices === 1 && put.seed !== undefined ? BigInt(put.seed) : undefined;
    const kept = texts.slice(0, slots.length);
    const answers = await Promise.all(
      kept.map(async ({ text, stop, promptTokens, outputTokens }, index) => ({
        slot: slots[index] ?? 0,
        output: await keepOutput(this.blobs, text, attempts),
        stopReason: STOP_REASONS[stop],
        promptTokens,
        outputTokens,
        seed,
        promptHash,
        problemVersion,
        targetVersion,
      })),
    );
    await this.database.transaction('sample/keep-answers', (tx) => addAnswers(tx, requestId, answers));
  }

  /** Goes on after what may pass, and throws what doesn't: the endpoint's fault is waited for, the call's ends the job. */
  private insistOn(outcome: PoliteOutcome, baseUrl: string, fruitless: number): void {
    const { origin } = new URL(baseUrl);
    switch (outcome.kind) {
      case 'answered':
        return;
      case 'refused':
        throw new RecordFault(
          'refused_by_endpoint',
          `endpoint ${origin} refuses the call with status ${outcome.status}`,
        );
      case 'broken':
      case 'unavailable': {
        const away = outcome.kind === 'unavailable' ? (outcome.comeBackMs ?? 0) > this.config.patienceMs : false;
        if (away || fruitless >= FRUITLESS_ROUNDS) throw new DependencyFault(`endpoint ${origin}`, outcome.why);
      }
    }
  }
}

const STOP_REASONS: Readonly<Record<SampledText['stop'], StopReason>> = {
  stop: StopReason.STOP,
  length: StopReason.LENGTH,
  unknown: StopReason.UNSPECIFIED,
};

import { DependencyFault, type JobWorker, RecordFault } from '../api.ts';
import { backoffMs } from '../backoff.ts';
import { Bell } from '../bell.ts';
import { classifyFault } from '../faults.ts';
import { errorFields } from '../observe/logger.ts';
import { sleep } from '../sleep.ts';
import type { StageParts } from '../stage-parts.ts';
import { AwaitedDependencies } from './awaited-dependencies.ts';
import { completeJob, failJob, JobLost } from './finish-job.ts';
import { heartbeatJobs, putBackJob, type TakenJob, takeJobs } from './job-table.ts';
import { leasedJob } from './leased-job.ts';

const POLL_MS = 500;
/** How long a stop waits for jobs in hand before it tells them to end, in ms. */
const GRACE_MS = 3_000;
/** Deaths of the worker before the job itself is suspected of causing them. */
const MAX_LOSSES = 25;
const DEFAULT_MAX_ATTEMPTS = 3;

interface InHand {
  readonly job: TakenJob;
  readonly abort: AbortController;
  readonly done: Promise<void>;
}

/** Takes jobs of one kind as places get free, keeps their leases, and sees each to its end. */
export class JobPool<P, R> {
  private readonly bell = new Bell();
  private readonly inHand = new Map<bigint, InHand>();
  private readonly concern: string;
  private readonly awaited: AwaitedDependencies;
  private running: Promise<void> | undefined;
  private abandoned = false;
  private heart: NodeJS.Timeout | undefined;

  constructor(
    private readonly parts: StageParts,
    private readonly worker: JobWorker<P, R>,
    private readonly pollMs = POLL_MS,
  ) {
    this.concern = `jobs ${worker.kind.name}`;
    this.awaited = new AwaitedDependencies(parts, worker.kind.name);
  }

  get kind(): string {
    return this.worker.kind.name;
  }

  start(): void {
    this.running = this.loop();
    this.heart = setInterval(() => void this.heartbeat(), this.worker.kind.leaseMs / 3);
  }

  wake(): void {
    this.bell.ring();
  }

  /** Takes no more, lets those in hand end for a while, gives the others back. */
  async stop(): Promise<void> {
    this.bell.ring();
    await this.running;
    const all = Promise.all([...this.inHand.values()].map(({ done }) => done));
    await Promise.race([all, sleep(GRACE_MS)]);
    for (const { abort } of this.inHand.values()) abort.abort(new Error('the service stops'));
    await Promise.race([all, sleep(GRACE_MS)]);
    clearInterval(this.heart);
    await Promise.all([...this.inHand.values()].map(({ job }) => this.putBack(job, 0, job.faults, null)));
  }

  /** Ends like a crash: leases run out by themselves. */
  abandon(): void {
    this.abandoned = true;
    this.bell.ring();
    clearInterval(this.heart);
    for (const { abort } of this.inHand.values()) abort.abort(new Error('the service is given up'));
  }

  private async loop(): Promise<void> {
    const { ended, board, logger, transactions, identity, backoff } = this.parts;
    for (let failures = 0; !ended.aborted; ) {
      try {
        const free = this.worker.concurrency - this.inHand.size;
        const jobs = free > 0 ? await takeJobs(transactions, this.worker.kind, free, identity.replica) : [];
        failures = 0;
        board.clear(`${this.concern} table`);
        for (const job of jobs) this.begin(job);
        await this.awaited.look();
        if (jobs.length === 0 || jobs.length === free) await this.bell.wait(this.pollMs);
      } catch (error) {
        if (ended.aborted) return;
        board.set(`${this.concern} table`, `${this.concern} cannot be read: ${classifyFault(error).message}`);
        logger.warn({ kind: this.kind, ...errorFields(error) }, 'jobs cannot be taken');
        await sleep(backoffMs(++failures, backoff), ended);
      }
    }
  }

  private begin(taken: TakenJob): void {
    const { tracing, metrics } = this.parts;
    const attributes = { 'tidemark.job': taken.key, 'tidemark.attempt': String(taken.attempts) };
    const hop = tracing?.hop(`job ${this.kind}`, 'consumer', taken.traceparent, attributes);
    // What follows from the job follows from this hop.
    const job = hop === undefined ? taken : { ...taken, traceparent: hop.traceparent };
    let fault: string | undefined;
    const abort = new AbortController();
    const startedMs = performance.now();
    const done = this.work(job, abort.signal)
      .catch((error: unknown) => {
        fault = classifyFault(error).message;
        return this.afterError(job, abort.signal, error);
      })
      .catch((error: unknown) => this.parts.logger.warn({ ...fieldsOf(job), ...errorFields(error) }, 'job is left'))
      .finally(() => {
        hop?.end(fault);
        metrics.jobSeconds.observe({ kind: this.kind }, (performance.now() - startedMs) / 1000);
        this.inHand.delete(job.token);
        this.bell.ring();
      });
    this.inHand.set(job.token, { job, abort, done });
  }

  private async work(job: TakenJob, signal: AbortSignal): Promise<void> {
    if (job.losses >= MAX_LOSSES) {
      throw new RecordFault('worker_lost', `its worker died ${job.losses} times`);
    }
    const leased = leasedJob(this.worker.kind, job);
    const result = await this.worker.run(leased, signal);
    await this.parts.reached('mid-job', this.concern);
    await this.completing(job, signal, () => completeJob(this.parts, this.worker, job, leased, result));
    this.ended('completed');
  }

  /** The work is done and may have been dear: as long as the lease holds, a database that is away is waited for. */
  private async completing(job: TakenJob, signal: AbortSignal, complete: () => Promise<void>): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      try {
        await complete();
        return;
      } catch (error) {
        if (classifyFault(error).kind !== 'dependency' || signal.aborted || this.parts.ended.aborted) throw error;
        this.parts.logger.warn({ ...fieldsOf(job), attempt, ...errorFields(error) }, 'job cannot be completed yet');
        await sleep(backoffMs(attempt, this.parts.backoff), signal);
      }
    }
  }

  private async afterError(job: TakenJob, signal: AbortSignal, error: unknown): Promise<void> {
    const { ended, logger, backoff } = this.parts;
    if (this.abandoned) return;
    if (error instanceof JobLost) {
      logger.info(fieldsOf(job), 'job is no longer ours');
      this.ended('lost');
      return;
    }
    if (ended.aborted && signal.aborted) {
      await this.putBack(job, 0, job.faults, null);
      return;
    }
    const fault = classifyFault(error);
    if (fault.kind === 'dependency') {
      const waitMs = backoffMs(job.attempts, backoff);
      logger.warn({ ...fieldsOf(job), waitMs, ...errorFields(error) }, 'job waits for a dependency');
      this.ended('retried');
      await this.putBack(job, waitMs, job.faults, fault.message, fault.dependency);
      this.awaited.add(fault.dependency, fault.message);
      return;
    }
    const faults = job.faults + 1;
    const given = error instanceof Error ? error : new Error(String(error));
    const isFinal = given instanceof RecordFault || faults >= (this.worker.maxAttempts ?? DEFAULT_MAX_ATTEMPTS);
    logger.warn({ ...fieldsOf(job), faults, isFinal, ...errorFields(error) }, 'job failed');
    this.ended(isFinal ? 'failed' : 'retried');
    if (isFinal) await this.giveUp(job, given);
    else await this.putBack(job, backoffMs(faults, backoff), faults, fault.message);
  }

  private ended(outcome: 'completed' | 'failed' | 'retried' | 'lost'): void {
    this.parts.metrics.jobsEnded.inc({ kind: this.kind, outcome });
  }

  private async giveUp(job: TakenJob, error: Error): Promise<void> {
    try {
      await failJob(this.parts, this.worker, job, error);
    } catch (failing) {
      if (failing instanceof JobLost) return;
      // Never lost: what became of it must be written down, so it is tried again later.
      const waitMs = backoffMs(job.attempts, this.parts.backoff);
      this.parts.logger.error({ ...fieldsOf(job), waitMs, ...errorFields(failing) }, 'a failed job cannot be closed');
      await this.putBack(job, waitMs, job.faults, error.message);
    }
  }

  private async putBack(
    job: TakenJob,
    afterMs: number,
    faults: number,
    error: string | null,
    waitsFor: string | null = null,
  ): Promise<void> {
    await putBackJob(this.parts.transactions, job, afterMs, faults, error?.slice(0, 500) ?? null, waitsFor);
  }

  private async heartbeat(): Promise<void> {
    const jobs = [...this.inHand.values()];
    if (jobs.length === 0) return;
    try {
      const held = await heartbeatJobs(
        this.parts.transactions,
        this.worker.kind,
        jobs.map(({ job }) => job),
      );
      for (const { job, abort } of jobs) {
        if (!held.has(job.token)) abort.abort(new DependencyFault('lease', `job ${job.key} was taken by another`));
      }
    } catch (error) {
      this.parts.logger.warn({ kind: this.kind, ...errorFields(error) }, 'job leases cannot be prolonged');
    }
  }
}

const fieldsOf = (job: TakenJob) => ({ kind: job.kind, job: job.key, attempt: job.attempts });

import type { Writable } from 'node:stream';
import { excerpt, type Limits, type RunFacts, type StopReason } from '@tidemark/judging';
import type { SlotMeter } from '../accounting/accounting.ts';
import { collect, collectEnds } from '../bubblewrap/collect.ts';
import { Watch } from '../bubblewrap/watch.ts';
import type { SandboxCommand, SandboxOutcome } from '../sandbox.ts';
import type { OpenPipes } from './pipes.ts';

const STDERR_END_BYTES = 4096;
/** Told to end a run, or at its end, the interpreter answers within this time, or is given up itself. */
const ANSWER_MS = 5_000;
/** What the processes of a run wrote is read within this time after their end. */
const DRAIN_MS = 10_000;

/** What a run needs of its slot. */
export type Orders = {
  order(line: string): void;
  /** Kills the interpreter with all its copies. */
  giveUp(): void;
};

/** One copy of an interpreter that waits, from its order to its end. */
export class WarmRun {
  /** Something is not as it should be after the run: a fresh interpreter takes the place of this one. */
  leavesDoubt = false;
  private stopped: StopReason | undefined;
  private cutShort = false;
  private started = false;
  private failure: string | undefined;
  private exitCode: number | undefined;
  private readings: Pick<RunFacts, 'cpuTimeMs' | 'memoryPeakBytes' | 'memoryKill'> | undefined;
  private readonly startedAt = performance.now();
  private endedAt: number | undefined;
  private overdue: NodeJS.Timeout | undefined;
  private readonly ended: Promise<void>;
  private markEnded: () => void = () => undefined;
  private pipes: OpenPipes | undefined;
  private closeInputs: () => void = () => undefined;

  constructor(
    private readonly meter: SlotMeter,
    private readonly limits: Limits,
    private readonly slot: Orders,
  ) {
    this.ended = new Promise((resolve) => {
      this.markEnded = resolve;
    });
  }

  begin(pipes: OpenPipes, command: SandboxCommand, job: Uint8Array | undefined, order: string): void {
    this.pipes = pipes;
    const opened = new Promise<void>((resolve) => {
      this.closeInputs = resolve;
    });
    feed(pipes.job, job, opened);
    feed(pipes.stdin, command.stdin, opened);
    feed(pipes.harness, command.harness?.input, opened);
    this.slot.order(order);
  }

  /** An answer of the interpreter. */
  hear(line: string): void {
    const [word, code = '', left = ''] = line.split(' ');
    if (word === 'o') {
      this.started = true;
      this.closeInputs();
    } else if (word === 'f') this.failure = line.slice(2);
    else if (word === 'e') {
      this.exitCode = Number(code);
      if (left !== '0') this.leavesDoubt = true;
      this.end();
    }
  }

  /** The interpreter has ended. */
  lose(): void {
    this.leavesDoubt = true;
    this.end();
  }

  /** Ends the run; the first reason counts. */
  stop(reason: StopReason): void {
    if (this.stopped !== undefined || this.endedAt !== undefined) return;
    this.stopped = reason;
    this.readings = this.takeReadings();
    this.slot.order('k\n');
    this.overdue = setTimeout(() => {
      this.leavesDoubt = true;
      this.slot.giveUp();
    }, ANSWER_MS);
  }

  async outcome(reportBytes: number): Promise<SandboxOutcome> {
    const { stdout, stderr, report } = this.pipes as OpenPipes;
    const streams = [stdout, stderr, report];
    const [out, err, said] = [
      collect(stdout, this.limits.outputBytes, () => this.stop('output')),
      collectEnds(stderr, STDERR_END_BYTES),
      collect(report, reportBytes, () => undefined),
    ];
    const drained = Promise.all(streams.map((stream) => new Promise<void>((resolve) => stream.once('close', resolve))));
    const watch = new Watch(this.limits, {
      startedAt: this.startedAt,
      hasStarted: () => this.started,
      cpuTimeMs: () => this.meter.cpuTimeMs(0),
      waitedMs: () => this.meter.waitedMs(0),
      stop: (reason) => this.stop(reason),
    });
    await this.ended;
    watch.end();
    clearTimeout(this.overdue);
    const { job, stdin, harness } = this.pipes as OpenPipes;
    for (const input of [job, stdin, harness]) input.destroy();
    // A pipe that no process of the run has opened does not end by itself.
    if (!this.started) for (const stream of streams) stream.destroy();
    const late = setTimeout(() => {
      this.leavesDoubt = true;
      this.cutShort = true;
      for (const stream of streams) stream.destroy();
    }, DRAIN_MS);
    // Without a harness nobody opens its report.
    if (reportBytes === 0) report.destroy();
    await drained;
    clearTimeout(late);
    return this.conclude(out(), err(), said());
  }

  private end(): void {
    if (this.endedAt !== undefined) return;
    this.endedAt = performance.now();
    this.readings ??= this.takeReadings();
    this.markEnded();
  }

  private takeReadings() {
    return {
      cpuTimeMs: this.meter.cpuTimeMs(0),
      memoryPeakBytes: this.meter.memoryPeakBytes(),
      memoryKill: this.meter.memoryKill(),
    };
  }

  private conclude(stdout: Uint8Array, stderr: Uint8Array, report: Uint8Array): SandboxOutcome {
    const readings = this.readings ?? this.takeReadings();
    const facts = { ...readings, wallTimeMs: (this.endedAt ?? this.startedAt) - this.startedAt };
    const ran = (end: RunFacts['end']): SandboxOutcome => {
      return { kind: 'ran', facts: { ...facts, end }, stdout, stderr, report };
    };
    if (this.stopped !== undefined) return ran({ kind: 'stopped', by: this.stopped });
    // We were held up: what was not read must not be compared as if the program had not written it.
    if (this.cutShort) return { kind: 'sandbox_failure', reason: 'its output could not be read to the end' };
    if (this.started && this.exitCode !== undefined) return ran({ kind: 'exited', code: this.exitCode });
    this.leavesDoubt = true;
    // The interpreter itself, or a copy on its way, may be what the kernel chose to kill.
    if (facts.memoryKill !== 'none') return ran({ kind: 'exited', code: 137 });
    return { kind: 'sandbox_failure', reason: excerpt(this.failure ?? 'the interpreter ended without a word', 300) };
  }
}

/** Writes what there is, and closes once it is written and the copy has opened its end. */
function feed(stream: Writable, bytes: Uint8Array | undefined, opened: Promise<void>): void {
  // The program need not read all that it is given.
  stream.on('error', () => undefined);
  const written = new Promise<void>((resolve) => {
    if (bytes === undefined || bytes.length === 0) resolve();
    else stream.write(bytes, () => resolve());
  });
  void opened.then(() => written).then(() => stream.destroy());
}

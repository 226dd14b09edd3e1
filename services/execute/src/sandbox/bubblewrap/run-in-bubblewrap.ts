import { type ChildProcess, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { excerpt, type Limits, type RunFacts, type StopReason } from '@tidemark/judging';
import type { RunMeter } from '../accounting/accounting.ts';
import type { SandboxCommand, SandboxOutcome } from '../sandbox.ts';
import { collect, collectEnds } from './collect.ts';
import { FILE_FDS, filesOf, STATUS_FD } from './command.ts';
import { Watch } from './watch.ts';

const STDERR_END_BYTES = 4096;
/** Reading what a program that has ended left in its pipes takes no longer. */
const DRAIN_MS = 10_000;

/** Runs a prepared outer command under its meter, watches its limits, and collects what it leaves. */
export async function runInBubblewrap(
  outer: readonly [string, ...string[]],
  command: SandboxCommand,
  limits: Limits,
  meter: RunMeter,
  seccomp: Uint8Array,
  signal: AbortSignal | undefined,
): Promise<SandboxOutcome> {
  const files = filesOf(command).length;
  const child = spawn(outer[0], outer.slice(1), {
    // 0-2, status, seccomp, two files, harness input, harness report; then the shell's own, and further files.
    stdio: Array.from({ length: files > 2 ? 10 + files - 2 : 9 }, (_, fd) =>
      fd === 9 ? ('ignore' as const) : ('pipe' as const),
    ),
    env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', LANG: 'C.UTF-8' },
    // The shell on the way would name our folder in the environment of what runs inside as process 1.
    cwd: '/',
    detached: true,
  });
  const rootPid = child.pid;
  if (rootPid === undefined) {
    const error = await new Promise<Error>((resolve) => child.once('error', resolve));
    return { kind: 'sandbox_failure', reason: `can't start ${outer[0]}: ${error.message}` };
  }
  const run = new Run(child, rootPid, limits, meter);
  run.feed(command, seccomp);
  const onAbort = () => run.stop('cancelled');
  signal?.addEventListener('abort', onAbort);
  if (signal?.aborted) onAbort();
  try {
    return await run.outcome(command.harness?.reportBytes ?? 0);
  } finally {
    signal?.removeEventListener('abort', onAbort);
  }
}

/** What the sandbox's own programs said; what the judged program wrote is no reason, and not for logs. */
function wordOfSandbox(stderr: Uint8Array): string {
  const lines = new TextDecoder().decode(stderr).split('\n');
  const own = lines.filter((line) => /^(bwrap|setpriv|nsenter|(\/bin\/)?(ba)?sh): /.test(line));
  return excerpt(own.join(' '), 300) || 'bubblewrap ended without a word';
}

class Run {
  private stopped: StopReason | undefined;
  private cutShort = false;
  private exitCode: number | undefined;
  private programStarted = false;
  private endedAt: number | undefined;
  private readonly startedAt = performance.now();
  private readonly ended: Promise<void>;
  private readonly closed: Promise<void>;
  private markEnded: () => void = () => undefined;

  constructor(
    private readonly child: ChildProcess,
    private readonly rootPid: number,
    private readonly limits: Limits,
    private readonly meter: RunMeter,
  ) {
    this.ended = new Promise((resolve) => {
      this.markEnded = () => {
        this.endedAt ??= performance.now();
        resolve();
      };
    });
    child.once('exit', () => this.markEnded());
    this.closed = new Promise((resolve) => child.once('close', () => resolve()));
    this.readStatus();
  }

  feed(command: SandboxCommand, seccomp: Uint8Array): void {
    const inputs: [number, Uint8Array][] = [
      [0, command.stdin],
      [4, seccomp],
      ...FILE_FDS.map((fd, index): [number, Uint8Array] => [
        fd,
        filesOf(command)[index]?.content ?? new Uint8Array(),
      ]).filter(([fd]) => this.child.stdio[fd]),
      [7, command.harness?.input ?? new Uint8Array()],
    ];
    for (const [fd, bytes] of inputs) {
      const stream = this.child.stdio[fd] as Writable;
      // The program need not read all that it is given.
      stream.on('error', () => undefined);
      stream.end(bytes);
      (stream as unknown as Readable).resume?.();
    }
  }

  async outcome(reportBytes: number): Promise<SandboxOutcome> {
    const stdout = collect(this.stream(1), this.limits.outputBytes, () => this.stop('output'));
    const stderr = collectEnds(this.stream(2), STDERR_END_BYTES);
    const report = collect(this.stream(8), reportBytes, () => undefined);
    const watch = new Watch(this.limits, {
      startedAt: this.startedAt,
      hasStarted: () => this.programStarted,
      cpuTimeMs: () => this.meter.cpuTimeMs(this.rootPid),
      waitedMs: () => this.meter.waitedMs(this.rootPid),
      stop: (reason) => this.stop(reason),
    });
    await this.ended;
    watch.end();
    const cpuTimeMs = this.meter.cpuTimeMs(this.rootPid);
    if (this.stopped !== undefined) this.killGroup();
    try {
      // What the program left running, a daemon for example, dies before its pipes are read to the end.
      await this.meter.remove();
    } catch (error) {
      this.killGroup();
      return { kind: 'sandbox_failure', reason: `could not clean up: ${(error as Error).message}` };
    }
    // The last bytes may still be on their way through the pipes: killing the group now would lose them.
    const overdue = setTimeout(() => {
      this.cutShort = true;
      this.killGroup();
    }, DRAIN_MS);
    await this.closed;
    clearTimeout(overdue);
    return this.conclude(cpuTimeMs, stdout(), stderr(), report());
  }

  /** Ends the run; the first reason counts. */
  stop(reason: StopReason): void {
    if (this.stopped !== undefined || this.endedAt !== undefined) return;
    this.stopped = reason;
    this.readings = this.takeReadings();
    this.markEnded();
  }

  private readings: Pick<RunFacts, 'cpuTimeMs' | 'memoryPeakBytes' | 'memoryKill'> | undefined;

  private takeReadings() {
    return {
      cpuTimeMs: this.meter.cpuTimeMs(this.rootPid),
      memoryPeakBytes: this.meter.memoryPeakBytes(),
      memoryKill: this.meter.memoryKill(),
    };
  }

  private conclude(cpuTimeMs: number, stdout: Uint8Array, stderr: Uint8Array, report: Uint8Array): SandboxOutcome {
    const readings = this.readings ?? { cpuTimeMs, memoryPeakBytes: 0, memoryKill: 'none' as const };
    const facts = { ...readings, wallTimeMs: (this.endedAt ?? this.startedAt) - this.startedAt };
    const ran = (end: RunFacts['end']): SandboxOutcome => {
      return { kind: 'ran', facts: { ...facts, end }, stdout, stderr, report };
    };
    if (this.stopped !== undefined) return ran({ kind: 'stopped', by: this.stopped });
    // We were held up: what was not read must not be compared as if the program had not written it.
    if (this.cutShort) return { kind: 'sandbox_failure', reason: 'its output could not be read to the end' };
    if (this.exitCode !== undefined) return ran({ kind: 'exited', code: this.exitCode });
    // bubblewrap itself may be what the kernel chose to kill.
    if (facts.memoryKill !== 'none') return ran({ kind: 'exited', code: 137 });
    return { kind: 'sandbox_failure', reason: wordOfSandbox(stderr) };
  }

  /** bubblewrap's own account of the run, on a descriptor that the program does not have: one JSON text a line. */
  private readStatus(): void {
    let text = '';
    const stream = this.stream(STATUS_FD);
    stream.on('error', () => undefined);
    stream.on('data', (chunk: Buffer) => {
      text += chunk.toString('latin1');
      this.programStarted ||= text.includes('"child-pid"');
      const code = /"exit-code":\s*(\d+)/.exec(text)?.[1];
      if (code === undefined || this.exitCode !== undefined || this.endedAt !== undefined) return;
      this.exitCode = Number(code);
      this.readings = this.takeReadings();
      this.markEnded();
    });
  }

  private killGroup(): void {
    try {
      process.kill(-this.rootPid, 'SIGKILL');
    } catch {
      // Ended already.
    }
  }

  private stream(fd: number): Readable {
    return this.child.stdio[fd] as Readable;
  }
}

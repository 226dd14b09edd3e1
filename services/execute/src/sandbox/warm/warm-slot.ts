import { type ChildProcess, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { excerpt, type Limits } from '@tidemark/judging';
import type { SlotMeter } from '../accounting/accounting.ts';
import { kill } from '../accounting/tasks.ts';
import type { SandboxCommand, SandboxOutcome } from '../sandbox.ts';
import type { Pipes } from './pipes.ts';
import { ANSWERS_FD, DRIVER_FD, ORDERS_FD, SETTINGS_FD } from './warm-command.ts';
import type { WarmInterpreter } from './warm-interpreter.ts';
import { WarmRun } from './warm-run.ts';

const START_MS = 20_000;
/** Copies of one interpreter before a fresh one takes its place: whatever builds up in it ends there. */
const MOST_RUNS = 2_000;

export type RunRoom = { readonly temporaryBytes: number; readonly fileBytes: number; readonly cpuSeconds: number };

/** One interpreter that waits, with its pipes and its meter; one run at a time. */
export class WarmSlot {
  private runs = 0;
  private doubtful = false;
  private answers = '';
  private onAnswer: (line: string) => void = () => undefined;
  private onEnd: () => void = () => undefined;
  private readonly exited: Promise<void>;

  private constructor(
    private readonly child: ChildProcess,
    private readonly interpreter: WarmInterpreter,
    private readonly pipes: Pipes,
    readonly meter: SlotMeter,
  ) {
    this.exited = new Promise((resolve) => child.once('exit', () => resolve()));
    child.once('exit', () => {
      this.doubtful = true;
      this.onEnd();
    });
    const answers = child.stdio[ANSWERS_FD] as Readable;
    answers.on('error', () => undefined);
    answers.on('data', (chunk: Buffer) => {
      this.answers += chunk.toString('utf8');
      for (let at = this.answers.indexOf('\n'); at >= 0; at = this.answers.indexOf('\n')) {
        const line = this.answers.slice(0, at);
        this.answers = this.answers.slice(at + 1);
        this.onAnswer(line);
      }
    });
    (child.stdio[ORDERS_FD] as Writable).on('error', () => undefined);
  }

  /** Starts an interpreter and waits until it waits. Throws what kept it from that. */
  static async start(
    outer: readonly [string, ...string[]],
    interpreter: WarmInterpreter,
    settings: string,
    pipes: Pipes,
    meter: SlotMeter,
  ): Promise<WarmSlot> {
    const child = spawn(outer[0], outer.slice(1), {
      stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe', 'pipe', 'pipe'],
      env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', LANG: 'C.UTF-8' },
      // The shell on the way would name our folder in the environment of what runs inside as process 1.
      cwd: '/',
      detached: true,
    });
    if (child.pid === undefined) {
      // No process was made, so none will end, and where descriptors ran out there are no pipes either.
      const error = await new Promise<Error>((resolve) => child.once('error', resolve));
      await meter.remove();
      throw new Error(`can't start ${outer[0]}: ${error.message}`);
    }
    let said = '';
    (child.stdio[2] as Readable).on('data', (chunk: Buffer) => {
      said = (said + chunk.toString('utf8')).slice(-2_000);
    });
    const feed = (fd: number, text: string | Uint8Array) => {
      const stream = child.stdio[fd] as Writable;
      stream.on('error', () => undefined);
      stream.end(text);
      (stream as unknown as Readable).resume();
    };
    feed(DRIVER_FD, interpreter.driver);
    feed(SETTINGS_FD, settings);
    const slot = new WarmSlot(child, interpreter, pipes, meter);
    const isReady = await new Promise<boolean>((resolve) => {
      const late = setTimeout(() => resolve(false), START_MS);
      const decide = (ready: boolean) => {
        clearTimeout(late);
        resolve(ready);
      };
      child.once('error', () => decide(false));
      slot.onEnd = () => decide(false);
      slot.onAnswer = (line) => decide(line === 'ready');
    });
    if (!isReady) {
      await slot.close().catch(() => undefined);
      throw new Error(`the interpreter does not wait: ${excerpt(said.trim(), 300) || 'it ended without a word'}`);
    }
    meter.settle();
    return slot;
  }

  /** False when a fresh one has to take its place. */
  get isSound(): boolean {
    return !this.doubtful && this.runs < MOST_RUNS;
  }

  async run(command: SandboxCommand, limits: Limits, room: RunRoom, signal: AbortSignal): Promise<SandboxOutcome> {
    this.runs++;
    const run = new WarmRun(this.meter, limits, {
      order: (line) => (this.child.stdio[ORDERS_FD] as Writable).write(line),
      giveUp: () => {
        this.doubtful = true;
        this.killGroup();
      },
    });
    this.onAnswer = (line) => run.hear(line);
    this.onEnd = () => run.lose();
    const onAbort = () => run.stop('cancelled');
    signal.addEventListener('abort', onAbort);
    try {
      if (this.doubtful) return { kind: 'sandbox_failure', reason: 'the interpreter ended while it waited' };
      const [file] = command.files;
      const path = file?.path ?? '';
      const order = [
        'run',
        path,
        command.withoutProc ? 0 : 1,
        command.harness ? 1 : 0,
        room.temporaryBytes,
        room.fileBytes,
        limits.memoryBytes,
        room.cpuSeconds,
        command.stdin.length,
      ];
      this.meter.begin(limits);
      run.begin(this.pipes.open(), command, this.interpreter.job(command), `${order.join(' ')}\n`);
      if (signal.aborted) onAbort();
      const outcome = await run.outcome(command.harness?.reportBytes ?? 0);
      if (run.leavesDoubt || !this.meter.isClean()) this.doubtful = true;
      return outcome;
    } catch (error) {
      this.doubtful = true;
      return { kind: 'sandbox_failure', reason: (error as Error).message };
    } finally {
      signal.removeEventListener('abort', onAbort);
      this.onAnswer = () => undefined;
      this.onEnd = () => undefined;
    }
  }

  /** Ends the interpreter and all that is left of its runs. Throws when something does not die. */
  async close(): Promise<void> {
    this.doubtful = true;
    this.killGroup();
    try {
      await this.meter.remove();
      await this.exited;
    } finally {
      this.pipes.remove();
    }
  }

  private killGroup(): void {
    if (this.child.pid !== undefined && this.child.exitCode === null && this.child.signalCode === null) {
      kill(-this.child.pid);
    }
  }
}

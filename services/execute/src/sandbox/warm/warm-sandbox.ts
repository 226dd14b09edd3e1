import { rmSync } from 'node:fs';
import type { Limits } from '@tidemark/judging';
import { type BubblewrapOptions, BubblewrapSandbox } from '../bubblewrap/bubblewrap-sandbox.ts';
import { backstopSeconds, launchSettings, TEMPORARY_BYTES } from '../bubblewrap/prepare.ts';
import type { AccountingMode, Sandbox, SandboxCommand, SandboxOutcome, SandboxReport } from '../sandbox.ts';
import { checkCopies } from './check-copies.ts';
import { Pipes, sweepPipes } from './pipes.ts';
import { warmCommand } from './warm-command.ts';
import type { WarmInterpreter } from './warm-interpreter.ts';
import { WarmSlot } from './warm-slot.ts';

/** How long runs start their own interpreter after one that should wait could not be had. */
const COLD_MS = 60_000;
let slots = 0;

type Place = { readonly slot: WarmSlot; readonly uid: number };

/**
 * Runs scripts as copies of an interpreter that waits in a sandbox, modules loaded; everything else, and whatever goes
 * wrong on that way, runs in a bubblewrap of its own. Each copy has pid, mount and ipc namespaces, file systems and a
 * clean process of its own, and is confined as a single run is; what the copies of one interpreter share is its user
 * and network namespace and its host user.
 */
export class WarmSandbox implements Sandbox {
  private readonly cold: BubblewrapSandbox;
  private readonly free = new Map<WarmInterpreter, Place[]>();
  private readonly open = new Set<Promise<unknown>>();
  private readonly closing = new AbortController();
  /** Until when runs do without one of them. */
  private readonly coldUntil = new Map<WarmInterpreter, number>();

  /** @param onCold told each time that no interpreter could be had to wait, with the reason */
  constructor(
    options: BubblewrapOptions,
    private readonly interpreters: readonly WarmInterpreter[],
    private readonly onCold: (reason: string) => void,
  ) {
    this.cold = new BubblewrapSandbox(options);
    sweepPipes();
  }

  get accounting(): AccountingMode | undefined {
    return this.cold.accounting;
  }

  async check(): Promise<SandboxReport> {
    const report = await this.cold.check();
    if (!report.ready) return report;
    for (const interpreter of this.interpreters) {
      const place = await this.take(interpreter);
      if (!place) continue;
      const wrong = await checkCopies(
        (command, limits) => this.runIn(place, command, limits, this.closing.signal),
        interpreter,
      );
      if (wrong === undefined) await this.giveBack(interpreter, place);
      else {
        await this.end(place);
        this.stayCold(interpreter, wrong, Number.POSITIVE_INFINITY);
      }
    }
    const isolation =
      this.coldUntil.size === 0 && this.interpreters.length > 0
        ? 'bubblewrap, a copy of a waiting interpreter a test'
        : report.isolation;
    return { ...report, isolation };
  }

  async run(command: SandboxCommand, limits: Limits, signal?: AbortSignal): Promise<SandboxOutcome> {
    signal?.throwIfAborted();
    const running = this.runAnyhow(command, limits, signal);
    this.open.add(running);
    return running.finally(() => this.open.delete(running));
  }

  async close(): Promise<void> {
    this.closing.abort();
    await Promise.allSettled([...this.open]);
    const places = [...this.free.values()].flat();
    this.free.clear();
    await Promise.all(places.map((place) => this.end(place)));
    await this.cold.close();
  }

  private async runAnyhow(command: SandboxCommand, limits: Limits, signal?: AbortSignal): Promise<SandboxOutcome> {
    const interpreter = this.interpreters.find((known) => known === command.warm);
    const place = interpreter ? await this.take(interpreter) : undefined;
    if (!interpreter || !place) return await this.cold.run(command, limits, signal);
    const stop = AbortSignal.any(signal ? [signal, this.closing.signal] : [this.closing.signal]);
    const outcome = await this.runIn(place, command, limits, stop);
    await this.giveBack(interpreter, place);
    // A run that failed here says nothing about one that has everything to itself.
    if (outcome.kind === 'ran' || stop.aborted) return outcome;
    this.onCold(outcome.reason);
    return await this.cold.run(command, limits, signal);
  }

  private runIn(
    { slot }: Place,
    command: SandboxCommand,
    limits: Limits,
    signal: AbortSignal,
  ): Promise<SandboxOutcome> {
    const room = { temporaryBytes: TEMPORARY_BYTES, fileBytes: TEMPORARY_BYTES, cpuSeconds: backstopSeconds(limits) };
    return slot.run(command, limits, room, signal);
  }

  /** An interpreter that waits; undefined where none can be had for now. */
  private async take(interpreter: WarmInterpreter): Promise<Place | undefined> {
    const known = this.free.get(interpreter)?.pop();
    if (known?.slot.isSound) return known;
    if (known) await this.end(known);
    if (performance.now() < (this.coldUntil.get(interpreter) ?? 0) || this.closing.signal.aborted) return undefined;
    const uid = this.cold.takeUid();
    let pipes: Pipes | undefined;
    try {
      const prepared = await this.cold.prepare();
      const meter = prepared.accounting.slotMeter(`slot-${++slots}`);
      if (!meter) {
        this.cold.giveUid(uid);
        this.stayCold(interpreter, 'runs that follow one another need control groups', Number.POSITIVE_INFINITY);
        return undefined;
      }
      const settings = launchSettings(prepared, uid);
      pipes = await Pipes.make(settings.drop?.uid);
      const outer = warmCommand(interpreter, {
        ...settings,
        enterScript: meter.enterScript,
        inbox: pipes.folder,
        idle: pipes.idle,
      });
      const told = interpreter.settings({
        clone: prepared.syscalls.clone,
        seccomp: Buffer.from(prepared.seccomp).toString('hex'),
      });
      const slot = await WarmSlot.start(outer, interpreter, told, pipes, meter);
      return { slot, uid };
    } catch (error) {
      if (pipes) rmSync(pipes.folder, { recursive: true, force: true });
      this.cold.giveUid(uid);
      this.stayCold(interpreter, (error as Error).message, performance.now() + COLD_MS);
      return undefined;
    }
  }

  private async giveBack(interpreter: WarmInterpreter, place: Place): Promise<void> {
    if (!place.slot.isSound || this.closing.signal.aborted) return await this.end(place);
    this.free.set(interpreter, [...(this.free.get(interpreter) ?? []), place]);
  }

  private async end({ slot, uid }: Place): Promise<void> {
    try {
      await slot.close();
      this.cold.giveUid(uid);
    } catch (error) {
      // Where something is left, nobody else gets its user.
      this.onCold((error as Error).message);
    }
  }

  private stayCold(interpreter: WarmInterpreter, reason: string, until: number): void {
    this.coldUntil.set(interpreter, until);
    this.onCold(reason);
  }
}

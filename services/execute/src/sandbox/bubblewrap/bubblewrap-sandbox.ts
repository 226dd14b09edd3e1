import type { Limits } from '@tidemark/judging';
import type { RunMeter } from '../accounting/accounting.ts';
import type { AccountingMode, Sandbox, SandboxCommand, SandboxOutcome, SandboxReport } from '../sandbox.ts';
import { checkIsolation } from './check-isolation.ts';
import { readKernelFacts, settingsInTheWay } from './kernel-settings.ts';
import { outerCommand } from './command.ts';
import { backstopSeconds, launchSettings, type Prepared, prepare, TEMPORARY_BYTES } from './prepare.ts';
import { runInBubblewrap } from './run-in-bubblewrap.ts';

export type BubblewrapOptions = {
  /** Host folders of the languages, beside /usr, that commands will ask for. */
  readonly readOnlyFolders: readonly string[];
  /** First of the host user ids that runs get, one for each that runs at once. Default 64000; unused unless root. */
  readonly firstUid?: number;
  /** Path of bubblewrap. Default: that of the system. */
  readonly bwrap?: string;
  /** Default: the best that the machine offers. */
  readonly accounting?: 'cgroup' | 'rlimits';
};

let runs = 0;

/**
 * A fresh bubblewrap a run: user, pid, mount, network, ipc, uts and cgroup namespaces, an unprivileged host user of its
 * own, no capabilities, a seccomp filter, /usr and the languages read-only, nothing else of the host.
 */
export class BubblewrapSandbox implements Sandbox {
  private readonly freeUids: number[] = [];
  private nextUid: number;
  private mode: AccountingMode | undefined;
  private prepared: Promise<Prepared> | undefined;
  private readonly open = new Set<Promise<unknown>>();
  private readonly closing = new AbortController();

  constructor(private readonly options: BubblewrapOptions) {
    this.nextUid = options.firstUid ?? 64_000;
  }

  get accounting(): AccountingMode | undefined {
    return this.mode;
  }

  async check(): Promise<SandboxReport> {
    try {
      const { accounting } = await this.prepare();
      this.mode = accounting.mode;
      const wrong = await checkIsolation(this);
      if (wrong !== undefined)
        return { ready: false, reason: [wrong, ...settingsInTheWay(readKernelFacts())].join('; ') };
      return { ready: true, isolation: 'bubblewrap, a process a test', accounting: accounting.mode };
    } catch (error) {
      this.prepared = undefined;
      return { ready: false, reason: (error as Error).message };
    }
  }

  async run(command: SandboxCommand, limits: Limits, signal?: AbortSignal): Promise<SandboxOutcome> {
    signal?.throwIfAborted();
    const running = this.runPrepared(command, limits, signal);
    this.open.add(running);
    return running.finally(() => this.open.delete(running));
  }

  async close(): Promise<void> {
    this.closing.abort();
    await Promise.allSettled([...this.open]);
    const prepared = await this.prepared?.catch(() => undefined);
    await prepared?.staging?.close();
    prepared?.accounting.close();
  }

  private async runPrepared(command: SandboxCommand, limits: Limits, signal?: AbortSignal): Promise<SandboxOutcome> {
    const uid = this.takeUid();
    let meter: RunMeter | undefined;
    let clean = true;
    try {
      const prepared = await this.prepare();
      meter = prepared.accounting.meter(`run-${++runs}`, limits);
      const outer = outerCommand(command, {
        ...launchSettings(prepared, uid),
        enterScript: meter.enterScript,
        innerWords: meter.innerWords,
        fileBytes: TEMPORARY_BYTES,
        stackBytes: limits.memoryBytes,
        cpuSeconds: backstopSeconds(limits),
      });
      const stop = AbortSignal.any(signal ? [signal, this.closing.signal] : [this.closing.signal]);
      return await runInBubblewrap(outer, command, limits, meter, prepared.seccomp, stop);
    } catch (error) {
      return { kind: 'sandbox_failure', reason: (error as Error).message };
    } finally {
      await meter?.remove().catch(() => {
        clean = false;
      });
      // Where something of the run is left, nobody else gets its user.
      if (clean) this.giveUid(uid);
    }
  }

  /** A host user that nothing else runs as. */
  takeUid(): number {
    return this.freeUids.pop() ?? this.nextUid++;
  }

  /** Takes a user back, of whom nothing is left. */
  giveUid(uid: number): void {
    this.freeUids.push(uid);
  }

  /** What all runs share. Throws when the machine lacks something. */
  prepare(): Promise<Prepared> {
    this.prepared ??= prepare(this.options);
    return this.prepared;
  }
}

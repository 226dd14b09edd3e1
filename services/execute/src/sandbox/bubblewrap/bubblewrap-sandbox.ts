import type { Limits } from '@tidemark/judging';
import type { Accounting, RunMeter } from '../accounting/accounting.ts';
import { CgroupAccounting } from '../accounting/cgroup.ts';
import { findHierarchies } from '../accounting/hierarchies.ts';
import { RlimitAccounting } from '../accounting/rlimits.ts';
import type { Sandbox, SandboxCommand, SandboxOutcome, SandboxReport } from '../sandbox.ts';
import { seccompFilter } from '../seccomp/filter.ts';
import { syscallsOf } from '../seccomp/syscalls.ts';
import { outerCommand } from './command.ts';
import { checkIsolation } from './check-isolation.ts';
import { readKernelFacts, settingsInTheWay } from './kernel-settings.ts';
import { inheritedDescriptors } from './inherited-descriptors.ts';
import { runInBubblewrap } from './run-in-bubblewrap.ts';
import { findProgram, isReachableByAnyone, Staging } from './staging.ts';

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

/** Temporary files of one place inside; they count as memory as well. */
const TEMPORARY_BYTES = 64 * 1024 * 1024;
let runs = 0;

/**
 * A fresh bubblewrap a run: user, pid, mount, network, ipc, uts and cgroup namespaces, an unprivileged host user of its
 * own, no capabilities, a seccomp filter, /usr and the languages read-only, nothing else of the host.
 */
export class BubblewrapSandbox implements Sandbox {
  private readonly freeUids: number[] = [];
  private nextUid: number;
  private prepared: Promise<Prepared> | undefined;
  private readonly open = new Set<Promise<unknown>>();
  private readonly closing = new AbortController();

  constructor(private readonly options: BubblewrapOptions) {
    this.nextUid = options.firstUid ?? 64_000;
  }

  async check(): Promise<SandboxReport> {
    try {
      const { accounting } = await this.prepare();
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
    const uid = this.freeUids.pop() ?? this.nextUid++;
    let meter: RunMeter | undefined;
    let clean = true;
    try {
      const { accounting, bwrap, setpriv, nsenter, staging, seccomp } = await this.prepare();
      meter = accounting.meter(`run-${++runs}`, limits);
      const outer = outerCommand(command, {
        bwrap,
        setpriv,
        ...(isRoot() && setpriv ? { drop: { uid, setpriv } } : {}),
        ...(staging && nsenter
          ? { staging: { nsenter, namespace: staging.namespace, sourceOf: (f) => staging.sourceOf(f) } }
          : {}),
        enterScript: meter.enterScript,
        innerWords: meter.innerWords,
        strayDescriptors: inheritedDescriptors(),
        temporaryBytes: TEMPORARY_BYTES,
        fileBytes: TEMPORARY_BYTES,
        stackBytes: limits.memoryBytes,
        // A backstop for the watch: whole seconds, per process.
        cpuSeconds: Math.ceil(limits.cpuTimeMs / 1000) + 2,
      });
      const stop = AbortSignal.any(signal ? [signal, this.closing.signal] : [this.closing.signal]);
      return await runInBubblewrap(outer, command, limits, meter, seccomp, stop);
    } catch (error) {
      return { kind: 'sandbox_failure', reason: (error as Error).message };
    } finally {
      await meter?.remove().catch(() => {
        clean = false;
      });
      // Where something of the run is left, nobody else gets its user.
      if (clean) this.freeUids.push(uid);
    }
  }

  private prepare(): Promise<Prepared> {
    this.prepared ??= prepare(this.options);
    return this.prepared;
  }
}

type Prepared = {
  readonly bwrap: string;
  readonly setpriv: string | undefined;
  readonly nsenter: string | undefined;
  readonly seccomp: Uint8Array;
  readonly accounting: Accounting;
  readonly staging: Staging | undefined;
};

async function prepare(options: BubblewrapOptions): Promise<Prepared> {
  if (process.platform !== 'linux') throw new Error('judging needs Linux');
  // bubblewrap leaves its inner process to process 1, and Node collects only its own children.
  if (process.pid === 1) throw new Error('process 1 has to collect ended processes: start the container with an init');
  const table = syscallsOf(process.arch);
  if (!table) throw new Error(`no seccomp filter for ${process.arch}`);
  const bwrap = options.bwrap ?? findProgram('bwrap');
  if (!bwrap) throw new Error('bubblewrap is not installed (apt-get install bubblewrap)');
  const setpriv = findProgram('setpriv');
  if (isRoot() && !setpriv) throw new Error('setpriv (util-linux) is missing: a run must not keep root');
  const hidden = isRoot() ? options.readOnlyFolders.filter((folder) => !isReachableByAnyone(folder)) : [];
  const staging = hidden.length > 0 ? await Staging.of(hidden) : undefined;
  return {
    bwrap,
    setpriv,
    nsenter: findProgram('nsenter'),
    seccomp: seccompFilter(table),
    accounting: chooseAccounting(options.accounting),
    staging,
  };
}

function chooseAccounting(wanted: BubblewrapOptions['accounting']): Accounting {
  const hierarchies = wanted === 'rlimits' ? undefined : findHierarchies();
  if (!hierarchies && wanted === 'cgroup') throw new Error('no writable control groups');
  return hierarchies ? new CgroupAccounting(hierarchies) : new RlimitAccounting();
}

function isRoot(): boolean {
  return process.getuid?.() === 0;
}

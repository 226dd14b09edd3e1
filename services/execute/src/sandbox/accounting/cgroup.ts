import { existsSync, mkdirSync, readdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Limits, RunFacts } from '@tidemark/judging';
import { type Accounting, KEEPER_PROCESSES, type RunMeter } from './accounting.ts';
import { type CgroupHierarchies, PREFIX } from './hierarchies.ts';
import { counterIn, memoryKillOfV1, memoryKillOfV2 } from './memory-kill.ts';
import { kill, readIds, readKernelFile, sleep, waitedForCpuMs } from './tasks.ts';

/** A run's control group is removed within this time, or its keeper is at fault. */
const REMOVAL_MS = 5_000;

/** Accounting by control groups: one fresh group a run, so that its counters start from zero. */
export class CgroupAccounting implements Accounting {
  readonly mode;
  private readonly bases: readonly string[];

  constructor(private readonly hierarchies: CgroupHierarchies) {
    this.mode = hierarchies.mode;
    sweep(hierarchies.parents);
    this.bases = hierarchies.parents.map((parent) => join(parent, `${PREFIX}${process.pid}`));
    for (const base of this.bases) mkdirSync(base, { recursive: true });
    if (hierarchies.mode === 'cgroup-v2') {
      for (const base of this.bases) writeFileSync(join(base, 'cgroup.subtree_control'), '+memory +pids');
    }
  }

  meter(name: string, limits: Limits): RunMeter {
    const groups = this.bases.map((base) => join(base, name));
    for (const group of groups) mkdirSync(group);
    return this.hierarchies.mode === 'cgroup-v2' ? new V2Meter(groups, limits) : new V1Meter(groups, limits);
  }

  close(): void {
    for (const base of this.bases) removeIfEmpty(base);
  }
}

abstract class CgroupMeter implements RunMeter {
  readonly enterScript: string;
  readonly innerWords = [];
  private longestWaitMs = 0;

  constructor(protected readonly groups: readonly string[]) {
    this.enterScript = groups.map((group) => `echo 0 > '${group}/cgroup.procs'`).join(' && ');
  }

  abstract cpuTimeMs(): number;
  abstract memoryPeakBytes(): number;
  abstract memoryKill(): RunFacts['memoryKill'];
  protected abstract readonly tasksFile: string;

  waitedMs(): number {
    const waits = readIds(join(this.groups[0] as string, this.tasksFile)).map(waitedForCpuMs);
    this.longestWaitMs = waits.reduce((longest, wait) => Math.max(longest, wait), this.longestWaitMs);
    return this.longestWaitMs;
  }

  async remove(): Promise<void> {
    const deadline = performance.now() + REMOVAL_MS;
    for (let left = this.killAll(); left > 0; left = this.killAll()) {
      if (performance.now() > deadline) throw new Error(`${left} processes of a run do not die`);
      await sleep(2);
    }
    for (let open = [...this.groups]; open.length > 0; ) {
      open = open.filter((group) => !removeIfEmpty(group));
      if (open.length === 0) break;
      if (performance.now() > deadline) throw new Error(`control group ${open[0]} can't be removed`);
      await sleep(2);
    }
  }

  /** @returns how many processes were still there. */
  private killAll(): number {
    const [first = ''] = this.groups;
    const killFile = join(first, 'cgroup.kill');
    const pids = readIds(join(first, 'cgroup.procs'));
    if (pids.length > 0 && existsSync(killFile)) writeFileSync(killFile, '1');
    else for (const pid of pids) kill(pid);
    return pids.length;
  }
}

class V1Meter extends CgroupMeter {
  protected readonly tasksFile = 'tasks';

  constructor(groups: readonly string[], limits: Limits) {
    super(groups);
    const memory = this.controller('memory');
    writeFileSync(join(memory, 'memory.limit_in_bytes'), String(limits.memoryBytes));
    // Swap, where there is any, would only make the limit slow.
    const withSwap = join(memory, 'memory.memsw.limit_in_bytes');
    if (existsSync(withSwap)) writeFileSync(withSwap, String(limits.memoryBytes));
    writeFileSync(join(this.controller('pids'), 'pids.max'), String(limits.processes + KEEPER_PROCESSES));
  }

  cpuTimeMs(): number {
    return Number(readKernelFile(join(this.controller('cpuacct'), 'cpuacct.usage')) ?? 0) / 1e6;
  }

  memoryPeakBytes(): number {
    return Number(readKernelFile(join(this.controller('memory'), 'memory.max_usage_in_bytes')) ?? 0);
  }

  memoryKill(): RunFacts['memoryKill'] {
    const memory = this.controller('memory');
    const [control = '', usage = '', limit = ''] = [
      'memory.oom_control',
      'memory.max_usage_in_bytes',
      'memory.limit_in_bytes',
    ].map((file) => readKernelFile(join(memory, file)));
    return memoryKillOfV1(control, usage, limit);
  }

  /** Hierarchies come in the order memory, pids, cpuacct. */
  private controller(name: 'memory' | 'pids' | 'cpuacct'): string {
    return this.groups[['memory', 'pids', 'cpuacct'].indexOf(name)] as string;
  }
}

class V2Meter extends CgroupMeter {
  protected readonly tasksFile = 'cgroup.threads';

  constructor(groups: readonly string[], limits: Limits) {
    super(groups);
    const group = this.group;
    writeFileSync(join(group, 'memory.max'), String(limits.memoryBytes));
    const swap = join(group, 'memory.swap.max');
    if (existsSync(swap)) writeFileSync(swap, '0');
    writeFileSync(join(group, 'pids.max'), String(limits.processes + KEEPER_PROCESSES));
  }

  cpuTimeMs(): number {
    return counterIn(readKernelFile(join(this.group, 'cpu.stat')) ?? '', 'usage_usec') / 1e3;
  }

  memoryPeakBytes(): number {
    return Number(readKernelFile(join(this.group, 'memory.peak')) ?? 0);
  }

  memoryKill(): RunFacts['memoryKill'] {
    // The local counters came with Linux 5.2.
    const local = readKernelFile(join(this.group, 'memory.events.local'));
    return memoryKillOfV2(local ?? readKernelFile(join(this.group, 'memory.events')) ?? '');
  }

  private get group(): string {
    return this.groups[0] as string;
  }
}

/** @returns whether it is gone now. */
function removeIfEmpty(group: string): boolean {
  try {
    rmdirSync(group);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT';
  }
}

/** Removes what services that were killed left behind: groups named after a process that is gone. */
function sweep(parents: readonly string[]): void {
  for (const parent of parents) {
    for (const name of readdirSync(parent).filter((entry) => entry.startsWith(PREFIX))) {
      const pid = Number(name.slice(PREFIX.length));
      if (existsSync(`/proc/${pid}`)) continue;
      const base = join(parent, name);
      for (const run of readdirSync(base, { withFileTypes: true }).filter((entry) => entry.isDirectory())) {
        for (const left of readIds(join(base, run.name, 'cgroup.procs'))) kill(left);
        removeIfEmpty(join(base, run.name));
      }
      removeIfEmpty(base);
    }
  }
}

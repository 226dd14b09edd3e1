import { existsSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Limits, RunFacts } from '@tidemark/judging';
import { KEEPER_PROCESSES, type RunMeter } from './accounting.ts';
import { counterIn, memoryKillOfV1, memoryKillOfV2 } from './memory-kill.ts';
import { kill, readIds, readKernelFile, sleep, waitedForCpuMs } from './tasks.ts';

/** A run's control group is removed within this time, or its keeper is at fault. */
const REMOVAL_MS = 5_000;

/** The control groups of one run. */
export abstract class CgroupMeter implements RunMeter {
  readonly enterScript: string;
  readonly innerWords = [];
  protected longestWaitMs = 0;

  constructor(protected readonly groups: readonly string[]) {
    this.enterScript = groups.map((group) => `echo 0 > '${group}/cgroup.procs'`).join(' && ');
  }

  abstract cpuTimeMs(): number;
  abstract memoryPeakBytes(): number;
  abstract memoryKill(): RunFacts['memoryKill'];
  protected abstract readonly tasksFile: string;

  waitedMs(): number {
    const waits = this.tasks().map(waitedForCpuMs);
    this.longestWaitMs = waits.reduce((longest, wait) => Math.max(longest, wait), this.longestWaitMs);
    return this.longestWaitMs;
  }

  /** Ids of the run's tasks. */
  protected tasks(): number[] {
    return readIds(join(this.groups[0] as string, this.tasksFile));
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

export class V1Meter extends CgroupMeter {
  protected readonly tasksFile = 'tasks';

  constructor(groups: readonly string[], limits: Limits) {
    super(groups);
    this.limit(limits.memoryBytes, limits.processes + KEEPER_PROCESSES);
  }

  protected limit(memoryBytes: number, processes: number): void {
    const memory = this.controller('memory');
    // Swap, where there is any, would only make the limit slow. It may never lie below the other one.
    const withSwap = join(memory, 'memory.memsw.limit_in_bytes');
    const plain = join(memory, 'memory.limit_in_bytes');
    const hasSwap = existsSync(withSwap);
    if (hasSwap && Number(readKernelFile(withSwap)) < memoryBytes) writeFileSync(withSwap, String(memoryBytes));
    writeFileSync(plain, String(memoryBytes));
    if (hasSwap) writeFileSync(withSwap, String(memoryBytes));
    writeFileSync(join(this.controller('pids'), 'pids.max'), String(processes));
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
  protected controller(name: 'memory' | 'pids' | 'cpuacct'): string {
    return this.groups[['memory', 'pids', 'cpuacct'].indexOf(name)] as string;
  }
}

export class V2Meter extends CgroupMeter {
  protected readonly tasksFile = 'cgroup.threads';

  constructor(groups: readonly string[], limits: Limits) {
    super(groups);
    this.limit(limits.memoryBytes, limits.processes + KEEPER_PROCESSES);
  }

  protected limit(memoryBytes: number, processes: number): void {
    writeFileSync(join(this.group, 'memory.max'), String(memoryBytes));
    const swap = join(this.group, 'memory.swap.max');
    if (existsSync(swap)) writeFileSync(swap, '0');
    writeFileSync(join(this.group, 'pids.max'), String(processes));
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

  protected get group(): string {
    return this.groups[0] as string;
  }
}

/** @returns whether it is gone now. */
export function removeIfEmpty(group: string): boolean {
  try {
    rmdirSync(group);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT';
  }
}

import type { Limits } from '@tidemark/judging';
import { type Accounting, KEEPER_PROCESSES, type RunMeter } from './accounting.ts';
import { processTree, readKernelFile, waitedForCpuMs } from './tasks.ts';

/** Kernel ticks a second in /proc/<pid>/stat (USER_HZ, 100 on every Linux architecture Node runs on). */
const TICKS_PER_SECOND = 100;

/**
 * The fallback without control groups: limits hold per process (several processes together may use more), the memory
 * limit is one of address space, so that going over it looks like a failed allocation, and CPU time of children that
 * were never waited for is lost when they end between two readings.
 */
export class RlimitAccounting implements Accounting {
  readonly mode = 'rlimits';

  meter(_name: string, limits: Limits): RunMeter {
    return new RlimitMeter(limits);
  }

  slotMeter(): undefined {
    return undefined;
  }

  close(): void {}
}

class RlimitMeter implements RunMeter {
  readonly enterScript: string;
  readonly innerWords: readonly string[];
  private mostCpuMs = 0;
  private longestWaitMs = 0;
  private peakBytes = 0;

  constructor(limits: Limits) {
    const kibibytes = Math.ceil(limits.memoryBytes / 1024);
    const processes = limits.processes + KEEPER_PROCESSES;
    this.enterScript = `ulimit -v ${kibibytes}`;
    // The kernel counts the processes of a user by user namespace: outside, all that the user runs on this machine would
    // count, ourselves too. The limit has another letter in bash than in dash.
    const limit = `{ [ -n "$BASH_VERSION" ] && ulimit -u ${processes} || ulimit -p ${processes}; } && exec "$@"`;
    this.innerWords = ['/bin/sh', '-c', limit, 'sh'];
  }

  cpuTimeMs(rootPid: number): number {
    let ticks = 0;
    let bytes = 0;
    for (const pid of processTree(rootPid)) {
      const stat = readKernelFile(`/proc/${pid}/stat`);
      const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ') ?? [];
      for (const field of [11, 12, 13, 14]) ticks += Number(fields[field] ?? 0);
      bytes += Number(fields[21] ?? 0) * 4096;
    }
    this.peakBytes = Math.max(this.peakBytes, bytes);
    this.mostCpuMs = Math.max(this.mostCpuMs, (ticks * 1000) / TICKS_PER_SECOND);
    return this.mostCpuMs;
  }

  waitedMs(rootPid: number): number {
    for (const pid of processTree(rootPid)) this.longestWaitMs = Math.max(this.longestWaitMs, waitedForCpuMs(pid));
    return this.longestWaitMs;
  }

  memoryPeakBytes(): number {
    return this.peakBytes;
  }

  memoryKill(): 'none' {
    return 'none';
  }

  /** The pid namespace takes all of a run's processes with it when bubblewrap ends. */
  async remove(): Promise<void> {}
}

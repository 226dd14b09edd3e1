import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Limits } from '@tidemark/judging';
import type { Accounting, RunMeter, SlotMeter } from './accounting.ts';
import { type CgroupHierarchies, PREFIX } from './hierarchies.ts';
import { removeIfEmpty, V1Meter, V2Meter } from './cgroup-meter.ts';
import { V1SlotMeter, V2SlotMeter } from './slot-meter.ts';
import { kill, readIds } from './tasks.ts';

/** How many of this process's accountings use a folder. */
const users = new Map<string, number>();

/** Accounting by control groups: one fresh group a run, so that its counters start from zero. */
export class CgroupAccounting implements Accounting {
  readonly mode;
  private readonly bases: readonly string[];

  constructor(private readonly hierarchies: CgroupHierarchies) {
    this.mode = hierarchies.mode;
    sweep(hierarchies.parents);
    this.bases = hierarchies.parents.map((parent) => join(parent, `${PREFIX}${process.pid}`));
    for (const base of this.bases) {
      mkdirSync(base, { recursive: true });
      users.set(base, (users.get(base) ?? 0) + 1);
    }
    if (hierarchies.mode === 'cgroup-v2') {
      for (const base of this.bases) writeFileSync(join(base, 'cgroup.subtree_control'), '+memory +pids');
    }
  }

  meter(name: string, limits: Limits): RunMeter {
    const groups = this.bases.map((base) => join(base, name));
    for (const group of groups) mkdirSync(group);
    return this.hierarchies.mode === 'cgroup-v2' ? new V2Meter(groups, limits) : new V1Meter(groups, limits);
  }

  slotMeter(name: string): SlotMeter {
    const groups = this.bases.map((base) => join(base, name));
    for (const group of groups) mkdirSync(group);
    return this.hierarchies.mode === 'cgroup-v2' ? new V2SlotMeter(groups) : new V1SlotMeter(groups);
  }

  close(): void {
    for (const base of this.bases) {
      const others = (users.get(base) ?? 1) - 1;
      users.set(base, others);
      if (others === 0) removeIfEmpty(base);
    }
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

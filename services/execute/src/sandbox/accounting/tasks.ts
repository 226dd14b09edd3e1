import { readdirSync, readFileSync } from 'node:fs';

/** The text of a kernel file, or undefined when it is gone or refuses. */
export function readKernelFile(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

/** Numbers in a file that lists one a line (`cgroup.procs`, `tasks`). */
export function readIds(path: string): number[] {
  return (readKernelFile(path) ?? '').split('\n').filter(Boolean).map(Number);
}

/** How long a task was ready to run without a processor, in ms: second field of /proc/<tid>/schedstat, in ns. */
export function waitedForCpuMs(tid: number): number {
  const nanoseconds = Number(readKernelFile(`/proc/${tid}/schedstat`)?.split(' ')[1] ?? 0);
  return nanoseconds / 1e6;
}

/** Sends SIGKILL; a process that is gone already is no error. */
export function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // ESRCH: gone.
  }
}

/** Process ids of `root` and all its descendants, by parent ids in /proc. */
export function processTree(root: number): number[] {
  const children = new Map<number, number[]>();
  for (const entry of readdirSync('/proc')) {
    const pid = Number(entry);
    if (!Number.isInteger(pid)) continue;
    const stat = readKernelFile(`/proc/${pid}/stat`);
    // The command's name is in parentheses and may hold anything; fields count from behind it.
    const parent = Number(stat?.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
    if (!Number.isInteger(parent)) continue;
    children.set(parent, [...(children.get(parent) ?? []), pid]);
  }
  const tree: number[] = [];
  const open = [root];
  for (let pid = open.pop(); pid !== undefined; pid = open.pop()) {
    tree.push(pid);
    open.push(...(children.get(pid) ?? []));
  }
  return tree;
}

export function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

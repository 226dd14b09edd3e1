import type { Limits } from '@tidemark/judging';
import type { Accounting } from '../accounting/accounting.ts';
import { CgroupAccounting } from '../accounting/cgroup.ts';
import { findHierarchies } from '../accounting/hierarchies.ts';
import { RlimitAccounting } from '../accounting/rlimits.ts';
import { seccompFilter } from '../seccomp/filter.ts';
import { type SyscallTable, syscallsOf } from '../seccomp/syscalls.ts';
import type { BubblewrapOptions } from './bubblewrap-sandbox.ts';
import type { OuterSettings } from './command.ts';
import { inheritedDescriptors } from './inherited-descriptors.ts';
import { findProgram, isReachableByAnyone, Staging } from './staging.ts';

/** Temporary files of one place inside; they count as memory as well. Also the longest file. */
export const TEMPORARY_BYTES = 64 * 1024 * 1024;

/** What all runs of a sandbox share. */
export type Prepared = {
  readonly bwrap: string;
  readonly setpriv: string | undefined;
  readonly nsenter: string | undefined;
  readonly syscalls: SyscallTable;
  readonly seccomp: Uint8Array;
  readonly accounting: Accounting;
  readonly staging: Staging | undefined;
};

/** Finds what isolation needs. Throws when the machine lacks something. */
export async function prepare(options: BubblewrapOptions): Promise<Prepared> {
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
    syscalls: table,
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

/** What every command to start bubblewrap is made from. @param uid the run's host user, where the service is root */
export function launchSettings(
  { bwrap, setpriv, nsenter, staging }: Prepared,
  uid: number,
): Omit<OuterSettings, 'enterScript' | 'innerWords' | 'fileBytes' | 'stackBytes' | 'cpuSeconds'> {
  return {
    bwrap,
    setpriv,
    ...(isRoot() && setpriv ? { drop: { uid, setpriv } } : {}),
    ...(staging && nsenter
      ? { staging: { nsenter, namespace: staging.namespace, sourceOf: (folder) => staging.sourceOf(folder) } }
      : {}),
    strayDescriptors: inheritedDescriptors(),
    temporaryBytes: TEMPORARY_BYTES,
  };
}

/** A backstop for the watch: whole seconds of CPU time, per process. */
export function backstopSeconds({ cpuTimeMs }: Limits): number {
  return Math.ceil(cpuTimeMs / 1000) + 2;
}

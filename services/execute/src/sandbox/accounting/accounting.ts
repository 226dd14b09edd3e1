import type { Limits, RunFacts } from '@tidemark/judging';
import type { AccountingMode } from '../sandbox.ts';

/** Holds and measures what the processes of one run use together. */
export interface RunMeter {
  /** Shell commands, run inside the run's first process, that put it and all its children under this meter. */
  readonly enterScript: string;
  /** Words that start the program inside the sandbox under limits that only hold there; empty where there are none. */
  readonly innerWords: readonly string[];
  /** CPU time used so far, in ms; `rootPid` is the host id of the run's first process. */
  cpuTimeMs(rootPid: number): number;
  /** The longest time that one of the run's live tasks has waited for a processor, in ms. */
  waitedMs(rootPid: number): number;
  /** Peak of memory in bytes; 0 where it can't be measured. */
  memoryPeakBytes(): number;
  /** Whether the kernel killed one of the run's processes for memory, and whose. */
  memoryKill(): RunFacts['memoryKill'];
  /** Kills whatever is left and removes the meter. Resolves once nothing is left. */
  remove(): Promise<void>;
}

/** The meter of a place where runs follow one another beside an interpreter that waits. */
export interface SlotMeter extends RunMeter {
  /** Call once, while the interpreter waits: what it uses itself counts for no run. */
  settle(): void;
  /** Starts a run: its limits hold, on top of what the interpreter uses, and its counters start from zero. */
  begin(limits: Limits): void;
  /** Nothing of the last run is left. */
  isClean(): boolean;
}

/** One way of accounting, chosen at start. */
export interface Accounting {
  readonly mode: AccountingMode;
  /** Prepares the meter of one run. Throws when the machine refuses. */
  meter(name: string, limits: Limits): RunMeter;
  /** Prepares the meter of a slot; undefined where runs that follow one another can't be told apart. */
  slotMeter(name: string): SlotMeter | undefined;
  close(): void;
}

/** Room for the sandbox's own processes beside the program's. */
export const KEEPER_PROCESSES = 4;

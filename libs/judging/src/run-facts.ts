/** What the sandbox may spend on one run. */
export type Limits = {
  /** CPU time of all the run's processes and threads together, in ms. Decides the time limit. */
  readonly cpuTimeMs: number;
  /** Wall time in ms, without the time in which the program waited for a processor. Wider than the CPU limit. */
  readonly wallTimeMs: number;
  /** Memory of all the run's processes and temporary files together, in bytes. */
  readonly memoryBytes: number;
  /** Standard output, in bytes. */
  readonly outputBytes: number;
  /** Processes and threads alive at once. */
  readonly processes: number;
};

/** Used where a problem says nothing. */
export const defaultLimits: Limits = {
  cpuTimeMs: 5_000,
  wallTimeMs: 15_000,
  memoryBytes: 256 * 1024 * 1024,
  outputBytes: 8 * 1024 * 1024,
  processes: 64,
};

/** How a run ended, measured from outside the sandbox. Nothing here is taken from the program's word. */
export type RunFacts = {
  /** `code`: 0-255 as the program chose it, 128 + n for signal n. `stopped`: the judge ended it. */
  readonly end:
    | { readonly kind: 'exited'; readonly code: number }
    | { readonly kind: 'stopped'; readonly by: StopReason };
  readonly cpuTimeMs: number;
  readonly wallTimeMs: number;
  /** Peak; 0 where the machine offers no counter. */
  readonly memoryPeakBytes: number;
  /**
   * Whether the kernel killed one of the run's processes for memory: because the run met its own limit, or because
   * others left the machine, or a group above, too little.
   */
  readonly memoryKill: 'none' | 'own_limit' | 'outside';
};

export type StopReason =
  | 'cpu'
  | 'wall'
  | 'output'
  /** The program was ready to run for most of its time and got no processor: says nothing about it. */
  | 'starved'
  | 'cancelled';

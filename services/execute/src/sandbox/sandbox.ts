import type { Limits, RunFacts } from '@tidemark/judging';
import type { WarmInterpreter } from './warm/warm-interpreter.ts';

/**
 * The port behind which untrusted programs run. Every run starts from a clean process, clean files and no network, and
 * leaves nothing: no process, mount, control group or file.
 */
export interface Sandbox {
  /** Tries the isolation for real and says what is in force, or why it can't be had. Never throws. */
  check(): Promise<SandboxReport>;
  /** Runs one command to its end. Rejects only when `signal` was aborted before the run began. */
  run(command: SandboxCommand, limits: Limits, signal?: AbortSignal): Promise<SandboxOutcome>;
  /** How limits are held and measured; undefined before {@link check} found out. */
  readonly accounting: AccountingMode | undefined;
  /** Ends all that runs and gives back what the sandbox holds for itself. */
  close(): Promise<void>;
}

export type SandboxReport =
  | { readonly ready: true; readonly isolation: string; readonly accounting: AccountingMode }
  | { readonly ready: false; readonly reason: string };

/**
 * How memory, processes and CPU time are held and measured. `rlimits` is the honest fallback: limits are per process,
 * the memory limit is an address-space limit, and CPU time is summed from /proc.
 */
export type AccountingMode = 'cgroup-v2' | 'cgroup-v1' | 'rlimits';

export type SandboxCommand = {
  /** Absolute path and arguments, as seen inside. */
  readonly argv: readonly [string, ...string[]];
  readonly environment: Readonly<Record<string, string>>;
  /** Host folders shown read-only at the same path, beside /usr. Absolute, real paths. */
  readonly readOnlyFolders: readonly string[];
  /** Folders within the above that are shown empty. */
  readonly hiddenFolders: readonly string[];
  /** No /proc inside: through it one process could write into the memory of another of the same run. Default false. */
  readonly withoutProc?: boolean;
  /** Host folders shown read-only at a path of their own. */
  readonly mounts?: readonly { readonly host: string; readonly path: string }[];
  /**
   * Read-only files made for this run alone, by absolute path inside; at most sixteen. One whose path ends in `/` is a
   * folder, empty and writable where the place is.
   */
  readonly files: readonly SandboxFile[];
  readonly stdin: Uint8Array;
  /** What waits inside a sandbox and may start this command as well. */
  readonly warm?: WarmInterpreter;
  /** Bytes that the harness reads from descriptor 7, and the right to write a report to descriptor 8. */
  readonly harness?: { readonly input: Uint8Array; readonly reportBytes: number };
};

export type SandboxFile = {
  readonly path: string;
  readonly content: Uint8Array;
  /** A program. Default false. */
  readonly executable?: boolean;
};

export type SandboxOutcome =
  | {
      readonly kind: 'ran';
      readonly facts: RunFacts;
      readonly stdout: Uint8Array;
      /** The first and the last few KiB; the rest was read and dropped. */
      readonly stderr: Uint8Array;
      /** What was written to descriptor 8. Untrusted. */
      readonly report: Uint8Array;
    }
  /** The isolation could not be set up, or its keeper vanished. Says nothing about the program. */
  | { readonly kind: 'sandbox_failure'; readonly reason: string };

/** The descriptors of {@link SandboxCommand.harness} inside the sandbox. */
export const HARNESS_INPUT_FD = 7;
export const HARNESS_REPORT_FD = 8;

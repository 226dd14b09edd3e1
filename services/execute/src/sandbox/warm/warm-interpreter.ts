import type { SandboxCommand, SandboxFile } from '../sandbox.ts';

/**
 * A program that can wait inside a sandbox and make a fresh process for each run: an interpreter that copies itself, or
 * a launcher. A language's profile describes it.
 */
export type WarmInterpreter = {
  /** Absolute path and arguments; the driver's path comes last. */
  readonly argv: readonly [string, ...string[]];
  readonly environment: Readonly<Record<string, string>>;
  readonly readOnlyFolders: readonly string[];
  readonly hiddenFolders: readonly string[];
  /** Its source or binary; what it is told and answers is described there. */
  readonly driver: string | Uint8Array;
  /** What its settings file holds. */
  settings(shared: WarmSharedSettings): string;
  /** What the run reads from the pipe `job`, its length before it; undefined where the order says all. */
  job(command: SandboxCommand): Uint8Array | undefined;
  /** A program that says of its own surroundings what {@link isolationIn} and `checkCopies` read. */
  readonly look: SandboxFile;
};

export type WarmSharedSettings = {
  /** The filter, as bytes in hexadecimal. */
  readonly seccomp: string;
  /** The number of the system call `clone`. */
  readonly clone: number;
};

/** Bytes behind their length in sixteen digits. */
export function framed(bytes: Uint8Array): Uint8Array {
  return Buffer.concat([Buffer.from(String(bytes.length).padStart(16, '0')), bytes]);
}

/** Where the driver, its settings and the pipes of its runs are seen inside; covered before a program runs. */
export const DRIVER_PATH = '/judge/warm';
export const SETTINGS_PATH = '/judge/warm.json';
export const INBOX_PATH = '/judge/inbox';

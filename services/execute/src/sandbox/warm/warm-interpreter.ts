/** An interpreter that can wait inside a sandbox and copy itself for each run; a language's profile describes it. */
export type WarmInterpreter = {
  /** Absolute path and arguments; the driver's path comes last. */
  readonly argv: readonly [string, ...string[]];
  readonly environment: Readonly<Record<string, string>>;
  readonly readOnlyFolders: readonly string[];
  readonly hiddenFolders: readonly string[];
  /** Its source; what it is told and answers is described there. */
  readonly driver: string;
  /** Modules that it loads before it waits. */
  readonly modules: readonly string[];
  /** Scripts that it knows beforehand, by path: runs of these bring none of their own. */
  readonly scripts: Readonly<Record<string, string>>;
  /** Depth of calls that the driver takes away from a program. */
  readonly spareDepth: number;
};

/** Where the driver, its settings and the pipes of its runs are seen inside; covered before a program runs. */
export const DRIVER_PATH = '/judge/warm.py';
export const SETTINGS_PATH = '/judge/warm.json';
export const INBOX_PATH = '/judge/inbox';

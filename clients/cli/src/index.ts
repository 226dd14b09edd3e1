/** The command line as a library: for its own program, and for whoever shows the same things live. */
export { type ExitCode, exitCodes } from './exit-codes.ts';
export { statusText } from './format/status-text.ts';
export { type CliIo, runCli } from './run-cli.ts';
export type { Status } from './status.ts';

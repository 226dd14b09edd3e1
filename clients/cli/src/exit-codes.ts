/** What the command line ends with. */
export const exitCodes = {
  success: 0,
  /** It was tried and did not work. */
  failure: 1,
  /** The command was not understood. */
  usage: 2,
  /** Some of it was done, and what was not is named. */
  partly: 3,
  /** Interrupted by the user: 128 + SIGINT. */
  interrupted: 130,
} as const;
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

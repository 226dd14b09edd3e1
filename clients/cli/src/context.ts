import type { ExitCode } from './exit-codes.ts';
import type { GatewayClient } from './gateway-client.ts';
import type { Output } from './output.ts';

/** What every command is given. */
export interface CommandContext {
  readonly client: GatewayClient;
  readonly output: Output;
  /** Aborts when the user interrupts. */
  readonly signal: AbortSignal;
}

/** Does a command's work. Undefined is success. */
export type Action = (context: CommandContext) => Promise<ExitCode | undefined>;

/** Hands an action to the runner: commander knows arguments and options, the runner the rest. */
export type Run = (action: Action) => Promise<void>;

/** The command line was understood and makes no sense: exit code 2. */
export class UsageError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'UsageError';
  }
}

/** Waits, or ends at once when the user interrupts. @throws the signal's reason */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    signal.throwIfAborted();
    const end = () => {
      clearTimeout(timer);
      reject(signal.reason as Error);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', end);
      resolve();
    }, ms);
    signal.addEventListener('abort', end, { once: true });
  });
}

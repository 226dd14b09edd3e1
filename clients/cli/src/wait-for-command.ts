import { type CommandContext, pause } from './context.ts';
import { type ExitCode, exitCodes } from './exit-codes.ts';
import { show } from './format/table.ts';
import type { Json } from './gateway-client.ts';

const POLL_MS = 200;

export interface WaitOptions {
  /** False with `--no-wait`. */
  readonly wait: boolean;
  /** Seconds. */
  readonly timeout: number;
}

/** Waits until a service has done what it was asked for, and says how it ended. */
export async function waitForCommand(
  { client, output, signal }: CommandContext,
  what: string,
  requested: Json,
  { wait, timeout }: WaitOptions,
): Promise<ExitCode> {
  let command = requested;
  const id = String(command.command_id);
  const until = Date.now() + timeout * 1_000;
  while (wait && command.outcome === 'waiting') {
    if (Date.now() > until) throw new Error(`${what} has not ended after ${timeout} s; its id is ${id}`);
    output.progress(`${what}: waiting`);
    await pause(POLL_MS, signal);
    command = await client.json(`/v1/commands/${id}`);
  }
  if (output.json) await output.object(command);
  else {
    const message = show(command.message);
    const outcome = `${what}: ${String(command.outcome)}`;
    // Of what is done the message is the whole sentence.
    if (command.outcome === 'done' && message !== '') await output.line(message);
    else await output.line(message === '' ? outcome : `${outcome}: ${message}`);
  }
  return command.outcome === 'done' || !wait ? exitCodes.success : exitCodes.failure;
}

import type { Command } from 'commander';
import { type CommandContext, pause, type Run } from '../context.ts';
import type { ExitCode } from '../exit-codes.ts';
import { statusText } from '../format/status-text.ts';
import type { GatewayClient } from '../gateway-client.ts';
import type { Status } from '../status.ts';
import { statusSchema } from '@tidemark/http-contract';

const WATCH_MS = 1_000;

export function registerStatus(program: Command, run: Run): void {
  program
    .command('status')
    .description('where everything stands: the funnel, bins of each target, what is on its way')
    .option('--watch', 'again every second, until interrupted')
    .option('--wait', 'until all is quiet')
    .action(({ watch, wait }: { watch?: boolean; wait?: boolean }) =>
      run(async (context) => {
        if (watch === true) return await watchStatus(context);
        if (wait === true) await waitUntilQuiet(context);
        await showStatus(context, await readStatus(context.client));
        return undefined;
      }),
    );
}

export const readStatus = (client: GatewayClient): Promise<Status> => client.answer(statusSchema, '/v1/status');

async function watchStatus(context: CommandContext): Promise<ExitCode> {
  for (;;) {
    const status = await readStatus(context.client);
    context.output.clear();
    await showStatus(context, status);
    await pause(WATCH_MS, context.signal);
  }
}

async function showStatus({ output }: CommandContext, status: Status): Promise<void> {
  if (output.json) await output.object(status);
  else for (const line of statusText(status)) await output.line(line);
}

/** Returns when nothing is on its way any more. */
export async function waitUntilQuiet({ client, output, signal }: CommandContext): Promise<void> {
  for (;;) {
    const status = await readStatus(client);
    if (status.quiet) return;
    const waiting = status.funnel
      .filter(({ state }) => state === 'waiting')
      .reduce((sum, row) => sum + row.problems, 0);
    output.progress(`${status.problems} problems, ${waiting} of them on their way`);
    await pause(WATCH_MS / 2, signal);
  }
}

import type { Command } from 'commander';
import type { CommandContext, Run } from '../context.ts';
import type { ExitCode } from '../exit-codes.ts';
import { show } from '../format/table.ts';
import type { Json } from '../gateway-client.ts';
import { seconds } from '../numbers.ts';
import { waitForCommand, type WaitOptions } from '../wait-for-command.ts';

export function registerForget(program: Command, run: Run): void {
  program
    .command('forget')
    .description('remove a problem from all tables, topics, dead letters and blobs, and look whether it is gone')
    .argument('<problem-id>')
    .option('--no-wait', 'do not wait until it is done')
    .option('--timeout <seconds>', 'how long to wait for the end', seconds, 900)
    .action((problemId: string, options: WaitOptions) => run((context) => forget(context, problemId, options)));
}

async function forget(context: CommandContext, problemId: string, options: WaitOptions): Promise<ExitCode> {
  const { client, output } = context;
  const requested = await client.json('/v1/forget', { method: 'POST', body: { problem_id: problemId } });
  const code = await waitForCommand(context, 'forget the problem', requested, options);
  if (output.json || !options.wait) return code;
  const { results } = await client.json(`/v1/commands/${String(requested.command_id)}`);
  for (const [what, count] of Object.entries(results as Json)) await output.line(`  ${what}: ${show(count)}`);
  return code;
}

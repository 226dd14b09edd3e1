import type { Command } from 'commander';
import type { CommandContext, Run } from '../context.ts';
import type { ExitCode } from '../exit-codes.ts';
import { seconds } from '../numbers.ts';
import { waitForCommand, type WaitOptions } from '../wait-for-command.ts';

interface SweepOptions extends WaitOptions {
  readonly dryRun?: true;
}

export function registerBlobs(program: Command, run: Run): void {
  const blobs = program.command('blobs').description('the blob store, for operators');
  blobs
    .command('sweep')
    .description('remove blobs that no table and no topic has named for a while; every service has to be running')
    .option('--dry-run', 'only say what would be removed')
    .option('--no-wait', 'do not wait until it is done')
    .option('--timeout <seconds>', 'how long to wait for the end', seconds, 600)
    .action((options: SweepOptions) => run((context) => sweep(context, options)));
}

async function sweep(context: CommandContext, options: SweepOptions): Promise<ExitCode> {
  const body = { dry_run: options.dryRun === true };
  const command = await context.client.json('/v1/blobs/sweep', { method: 'POST', body });
  return await waitForCommand(context, 'sweep the blobs', command, options);
}

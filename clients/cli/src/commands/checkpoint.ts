import { type Command, InvalidArgumentError } from 'commander';
import type { Run } from '../context.ts';
import { targetSlug } from '../numbers.ts';

export function registerCheckpoint(program: Command, run: Run): void {
  program
    .command('checkpoint')
    .description('checkpoints of a target')
    .command('advance')
    .description('make a checkpoint known; the newest is the one in force')
    .argument('<target>', 'its slug', targetSlug)
    .argument('<checkpoint>', 'its name: 1 to 128 printable characters without blanks')
    .option('--ordinal <number>', 'its place in the line (default: behind the newest)', ordinal)
    .action((target: string, checkpoint: string, options: { ordinal?: number }) =>
      run(async ({ client, output }) => {
        const body = { checkpoint, ...options };
        const path = `/v1/targets/${encodeURIComponent(target)}/checkpoints`;
        const advanced = await client.json(path, { method: 'POST', body });
        const verb = advanced.outcome === 'unchanged' ? 'was known already' : 'is known now';
        if (output.json) await output.object(advanced);
        else
          await output.line(
            `${target}: checkpoint ${checkpoint} ${verb}, number ${String(advanced.ordinal)} of the line`,
          );
        return undefined;
      }),
    );
}

function ordinal(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('It is a whole number from 0.');
  return Number(text);
}

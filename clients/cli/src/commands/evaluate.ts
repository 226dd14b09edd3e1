import { type Command, InvalidArgumentError } from 'commander';
import type { CommandContext, Run } from '../context.ts';
import type { ExitCode } from '../exit-codes.ts';
import { seconds, targetSlug } from '../numbers.ts';
import { waitForCommand, type WaitOptions } from '../wait-for-command.ts';

export function registerEvaluate(program: Command, run: Run): void {
  const timeout = ['--timeout <seconds>', 'how long to wait for the end', seconds, 300] as const;
  program
    .command('evaluate')
    .description('move problems between the bins of a target by the evidence of now')
    .argument('<target>', 'its slug', targetSlug)
    .option('--no-wait', 'do not wait until it is done')
    .option(...timeout)
    .action((target: string, options: WaitOptions) =>
      run((context) => order(context, target, 'evaluate', {}, options)),
    );
  program
    .command('measure')
    .description("ask the target's endpoint for attempts at every ready problem")
    .argument('<target>', 'its slug', targetSlug)
    .option('--attempts <count>', "attempts a problem (default: the target's group size)", whole, 0)
    .option('--no-wait', 'do not wait until it is ordered')
    .option(...timeout)
    .action((target: string, { attempts, ...options }: WaitOptions & { attempts: number }) =>
      run((context) => order(context, target, 'measure', { attempts }, options)),
    );
}

async function order(
  context: CommandContext,
  target: string,
  verb: 'evaluate' | 'measure',
  body: object,
  options: WaitOptions,
): Promise<ExitCode> {
  const path = `/v1/targets/${encodeURIComponent(target)}/${verb}`;
  const command = await context.client.json(path, { method: 'POST', body });
  return await waitForCommand(context, `${verb} ${target}`, command, options);
}

function whole(text: string): number {
  if (!/^\d{1,4}$/.test(text)) throw new InvalidArgumentError('It is a whole number.');
  return Number(text);
}

import { type Command, InvalidArgumentError } from 'commander';
import { type CommandContext, pause, type Run } from '../context.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { show } from '../format/table.ts';

const POLL_MS = 200;

interface OrderOptions {
  /** False with `--no-wait`. */
  readonly wait: boolean;
  readonly timeout: number;
}

export function registerEvaluate(program: Command, run: Run): void {
  const timeout = ['--timeout <seconds>', 'how long to wait for the end', seconds, 300] as const;
  program
    .command('evaluate')
    .description('move problems between the bins of a target by the evidence of now')
    .argument('<target>')
    .option('--no-wait', 'do not wait until it is done')
    .option(...timeout)
    .action((target: string, options: OrderOptions) =>
      run((context) => order(context, target, 'evaluate', {}, options)),
    );
  program
    .command('measure')
    .description("ask the target's endpoint for attempts at every ready problem")
    .argument('<target>')
    .option('--attempts <count>', "attempts a problem (default: the target's group size)", whole, 0)
    .option('--no-wait', 'do not wait until it is ordered')
    .option(...timeout)
    .action((target: string, { attempts, ...options }: OrderOptions & { attempts: number }) =>
      run((context) => order(context, target, 'measure', { attempts }, options)),
    );
}

async function order(
  { client, output, signal }: CommandContext,
  target: string,
  verb: 'evaluate' | 'measure',
  body: object,
  { wait, timeout }: OrderOptions,
): Promise<ExitCode> {
  let command = await client.json(`/v1/targets/${encodeURIComponent(target)}/${verb}`, { method: 'POST', body });
  const id = String(command.command_id);
  const until = Date.now() + timeout * 1_000;
  while (wait && command.outcome === 'waiting') {
    if (Date.now() > until) throw new Error(`${verb} ${target} has not ended after ${timeout} s; its id is ${id}`);
    output.progress(`${verb} ${target}: waiting`);
    await pause(POLL_MS, signal);
    command = await client.json(`/v1/commands/${id}`);
  }
  if (output.json) await output.object(command);
  else {
    const message = show(command.message) === '' ? '' : `: ${show(command.message)}`;
    await output.line(`${verb} ${target}: ${String(command.outcome)}${message}`);
  }
  return command.outcome === 'done' || !wait ? exitCodes.success : exitCodes.failure;
}

function seconds(text: string): number {
  const value = Number(text);
  if (!(value > 0)) throw new InvalidArgumentError('It is a number of seconds above 0.');
  return value;
}

function whole(text: string): number {
  if (!/^\d{1,4}$/.test(text)) throw new InvalidArgumentError('It is a whole number.');
  return Number(text);
}

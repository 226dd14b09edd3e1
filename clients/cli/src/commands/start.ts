import type { Command } from 'commander';
import { type Run, UsageError } from '../context.ts';
import type { ExitCode } from '../exit-codes.ts';

/** Held in a variable: the command line does not depend on the services, and runs where they are not installed. */
const STANDALONE = '@tidemark/standalone';

/** What `services/standalone` exports for this command. */
interface Standalone {
  /** Runs everything in this process until it is stopped. */
  runStandalone(args: readonly string[]): Promise<ExitCode>;
}

export function registerStart(program: Command, run: Run): void {
  program
    .command('start')
    .description('run everything on this machine, in one process')
    .option('--once', 'publish the sample, wait until all is quiet, and end')
    .allowUnknownOption()
    .argument('[args...]', 'passed on')
    .action((_args: string[], _options: object, command: Command) =>
      run(async () => {
        const standalone = await load();
        const once = command.opts<{ once?: boolean }>().once === true ? ['--once'] : [];
        return await standalone.runStandalone([...once, ...command.args]);
      }),
    );
}

async function load(): Promise<Standalone> {
  try {
    return (await import(STANDALONE)) as Standalone;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND') {
      throw new UsageError(`the services are not installed beside this command line (${error.message})`);
    }
    throw error;
  }
}

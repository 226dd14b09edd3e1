import type { Writable } from 'node:stream';
import { Command, CommanderError } from 'commander';
import { readCliConfig } from './cli.config.ts';
import { registerAudit } from './commands/audit.ts';
import { registerBatch } from './commands/batch.ts';
import { registerBenchmark } from './commands/benchmark.ts';
import { registerBlobs } from './commands/blobs.ts';
import { registerCheckpoint } from './commands/checkpoint.ts';
import { registerConfig } from './commands/config.ts';
import { registerCurated } from './commands/curated.ts';
import { registerDlq } from './commands/dlq.ts';
import { registerDoctor } from './commands/doctor.ts';
import { registerEvaluate } from './commands/evaluate.ts';
import { registerExplain } from './commands/explain.ts';
import { registerForget } from './commands/forget.ts';
import { registerIngest } from './commands/ingest.ts';
import { registerJudge } from './commands/judge.ts';
import { registerProblems } from './commands/problems.ts';
import { registerStart } from './commands/start.ts';
import { registerStatus } from './commands/status.ts';
import { registerTarget } from './commands/target.ts';
import { registerToken } from './commands/token.ts';
import { registerTopic } from './commands/topic.ts';
import { registerWithdraw } from './commands/withdraw.ts';
import { type Action, UsageError } from './context.ts';
import { type ExitCode, exitCodes } from './exit-codes.ts';
import { fileErrorText } from './file-errors.ts';
import { inCommands } from './format/hints.ts';
import { show } from './format/table.ts';
import { GatewayClient, GatewayError } from './gateway-client.ts';
import { onReaderGone, StreamOutput } from './output.ts';

/** Signals within this time of the first are the same wish to stop. */
const SAME_SIGNAL_MS = 1_000;

/** Where the command line writes. */
export interface CliIo {
  readonly stdout: Writable & { readonly isTTY?: boolean; readonly columns?: number };
  readonly stderr: Writable & { readonly isTTY?: boolean };
}

/** Understands arguments, does what they say, and answers the exit code. Never throws. */
export async function runCli(args: readonly string[], io: CliIo): Promise<ExitCode> {
  const interrupted = new AbortController();
  let interruptedAtMs: number | undefined;
  const onSignal = () => {
    interruptedAtMs ??= performance.now();
    interrupted.abort(new Error('interrupted'));
    // Of one Ctrl-C the terminal tells every process of its group, and npm passes it on once more; a later one is meant.
    if (performance.now() - interruptedAtMs > SAME_SIGNAL_MS) process.exit(exitCodes.interrupted);
  };
  process.on('SIGINT', onSignal);
  // Whoever reads has enough: that ends the work, and is no failure.
  let readerGone = false;
  onReaderGone([io.stdout], () => {
    readerGone = true;
    interrupted.abort(new Error('the reader has gone'));
  });
  const output = new StreamOutput(args.includes('--json'), io.stdout, io.stderr);
  let code: ExitCode = exitCodes.success;
  const run = async (action: Action): Promise<void> => {
    const client = new GatewayClient(readCliConfig(), interrupted.signal);
    code = (await action({ client, output, signal: interrupted.signal })) ?? exitCodes.success;
  };
  try {
    await program(io, run).parseAsync([...args], { from: 'user' });
    return code;
  } catch (error) {
    if (readerGone) return exitCodes.success;
    if (interrupted.signal.aborted) return exitCodes.interrupted;
    return report(error, output);
  } finally {
    output.progress('');
    process.off('SIGINT', onSignal);
  }
}

function program(io: CliIo, run: (action: Action) => Promise<void>): Command {
  const root = new Command('tidemark')
    .description('Streams coding problems from raw to curated, at the difficulty edge of the model being trained.')
    .option('--json', 'one JSON object a line, for programs')
    .version('0.1.0')
    .addHelpText('after', HELP)
    .exitOverride()
    .configureOutput({ writeOut: (text) => io.stdout.write(text), writeErr: (text) => io.stderr.write(text) })
    .showHelpAfterError('(tidemark --help shows what there is)');
  for (const register of [
    registerStart,
    registerIngest,
    registerTarget,
    registerCheckpoint,
    registerEvaluate,
    registerBatch,
    registerCurated,
    registerStatus,
    registerProblems,
    registerExplain,
    registerWithdraw,
    registerBenchmark,
    registerToken,
    registerAudit,
    registerTopic,
    registerConfig,
    registerDlq,
    registerBlobs,
    registerForget,
    registerDoctor,
    registerJudge,
  ]) {
    register(root, run);
  }
  inheritSettings(root);
  return root;
}

/** Subcommands take `--json` behind them too, and end by an exception as the root does. */
function inheritSettings(command: Command): void {
  for (const child of command.commands) {
    child.copyInheritedSettings(command);
    if (child.commands.length === 0) child.option('--json', 'one JSON object a line, for programs');
    inheritSettings(child);
  }
}

const HELP = `
Environment:
  TIDEMARK_URL    address of the gateway (default http://127.0.0.1:7400)
  TIDEMARK_ACCESS_TOKEN
                  access token, where the gateway wants one

Exit codes: 0 success, 1 failure, 2 usage, 3 partly done, 130 interrupted.`;

/** Says what went wrong in words, and answers with which code to end. */
function report(error: unknown, output: StreamOutput): ExitCode {
  if (error instanceof CommanderError) {
    // Commander has written the help, the version or the fault itself.
    return error.exitCode === 0 ? exitCodes.success : exitCodes.usage;
  }
  const usage = error instanceof UsageError;
  const message = fileErrorText(error) ?? (error instanceof Error ? error.message : String(error));
  const problem = error instanceof GatewayError ? error.problem : {};
  if (output.json) {
    output.note(JSON.stringify({ error: message, ...problem }));
  } else {
    output.note(`tidemark: ${message}`);
    const faults = Array.isArray(problem.faults) ? (problem.faults as { where: string; why: string }[]) : [];
    const places = faults.length > 0 ? faults : problem.why === problem.title ? [] : [problem];
    for (const { where, why } of places) if (why !== undefined) output.note(`  ${show(where)}: ${show(why)}`);
    if (typeof problem.do === 'string') output.note(`  ${inCommands(problem.do)}`);
  }
  return usage ? exitCodes.usage : exitCodes.failure;
}

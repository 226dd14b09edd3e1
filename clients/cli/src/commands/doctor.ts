import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Command } from 'commander';
import { type CommandContext, type Run, UsageError } from '../context.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { GatewayError } from '../gateway-client.ts';
import { type Finding, loadStandalone } from '../start/load-standalone.ts';
import type { StatusService } from '../status.ts';
import { readStatus } from './status.ts';

const checkout = resolve(dirname(fileURLToPath(import.meta.url)), '../../../..');
const OLDEST_NODE = [22, 15] as const;

export function registerDoctor(program: Command, run: Run): void {
  program
    .command('doctor')
    .description('look for what keeps Tidemark from working on this machine')
    .action(() =>
      run(async (context): Promise<ExitCode> => {
        let healthy = true;
        for await (const finding of examine(context)) {
          healthy &&= finding.ok;
          if (context.output.json) await context.output.object(finding);
          else await context.output.line(findingText(finding));
        }
        return healthy ? exitCodes.success : exitCodes.failure;
      }),
    );
}

async function* examine(context: CommandContext): AsyncGenerator<Finding> {
  yield checkNode();
  yield* await examineMachine();
  yield* await checkGateway(context);
}

const findingText = ({ check, ok, found, todo }: Finding): string =>
  `${ok ? 'ok  ' : 'FAIL'}  ${check}: ${found}${ok || todo === undefined ? '' : `\n      ${todo}`}`;

function checkNode(): Finding {
  const { version, versions } = process;
  const [major = 0, minor = 0] = versions.node.split('.').map(Number);
  const ok =
    (major > OLDEST_NODE[0] && major !== 23) ||
    (major === 23 && minor >= 8) ||
    (major === OLDEST_NODE[0] && minor >= OLDEST_NODE[1]);
  return {
    check: 'node',
    ok,
    found: version,
    todo: `Node ${OLDEST_NODE.join('.')} or newer is needed; "npm start" brings it.`,
  };
}

/** What the services need of this machine, where they are installed beside the command line. */
async function examineMachine(): Promise<readonly Finding[]> {
  try {
    const standalone = await loadStandalone();
    return await standalone.examineMachine(join(checkout, '.tidemark', 'data'));
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    const found = 'the services are not installed here: their machine is not examined';
    return [{ check: 'services', ok: true, found }];
  }
}

async function checkGateway({ client }: CommandContext): Promise<Finding[]> {
  try {
    const { services, quiet, problems } = await readStatus(client);
    const found = `${client.url}, ${problems} problems, ${quiet ? 'quiet' : 'at work'}`;
    return [{ check: 'gateway', ok: true, found }, ...services.map(checkService)];
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    const todo = typeof error.problem.do === 'string' ? error.problem.do : 'Look into the log of the gateway.';
    return [{ check: 'gateway', ok: false, found: error.message, todo }];
  }
}

function checkService(service: StatusService): Finding {
  const check = `service ${service.service}`;
  if (!service.reachable) {
    return { check, ok: false, found: `does not answer: ${service.error}`, todo: 'Start it, or correct its address.' };
  }
  const reasons = service.not_ready ?? [];
  if (reasons.length > 0) return { check, ok: false, found: `not ready: ${reasons.join('; ')}` };
  const aside = service.dead_letters === 0 ? '' : `, ${service.dead_letters} records laid aside`;
  return { check, ok: true, found: `${service.quiet ? 'quiet' : 'at work'}${aside}` };
}

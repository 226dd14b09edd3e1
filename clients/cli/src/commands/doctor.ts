import { spawnSync } from 'node:child_process';
import type { Command } from 'commander';
import type { CommandContext, Run } from '../context.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { GatewayError } from '../gateway-client.ts';
import type { StatusService } from '../status.ts';
import { readStatus } from './status.ts';

/** One thing that was looked at. */
interface Finding {
  readonly check: string;
  readonly ok: boolean;
  readonly found: string;
  /** What to do, where it is not as it should be. */
  readonly todo?: string;
}

const OLDEST_NODE = [22, 15] as const;

export function registerDoctor(program: Command, run: Run): void {
  program
    .command('doctor')
    .description('look for what keeps Tidemark from working on this machine')
    .action(() =>
      run(async (context): Promise<ExitCode> => {
        const findings = [checkNode(), checkSandbox(), ...(await checkGateway(context))];
        for (const finding of findings) {
          if (context.output.json) await context.output.object(finding);
          else await context.output.line(findingText(finding));
        }
        return findings.every(({ ok }) => ok) ? exitCodes.success : exitCodes.failure;
      }),
    );
}

const findingText = ({ check, ok, found, todo }: Finding): string =>
  `${ok ? 'ok  ' : 'FAIL'}  ${check}: ${found}${ok || todo === undefined ? '' : `\n      ${todo}`}`;

function checkNode(): Finding {
  const { version, versions } = process;
  const [major = 0, minor = 0] = versions.node.split('.').map(Number);
  const ok = major > OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor >= OLDEST_NODE[1]);
  return {
    check: 'node',
    ok,
    found: version,
    todo: `Node ${OLDEST_NODE.join('.')} or newer is needed; "npm start" brings it.`,
  };
}

/** Judging happens on the machine of `execute`, which on one host is this one. */
function checkSandbox(): Finding {
  const check = 'sandbox';
  if (process.platform !== 'linux') {
    const found = `${process.platform} has none; everything but judging works`;
    return { check, ok: false, found, todo: 'Run execute on Linux, in WSL2 or in a Linux container.' };
  }
  const { status, stdout, error } = spawnSync('bwrap', ['--version'], { encoding: 'utf8' });
  if (error !== undefined || status !== 0) {
    const todo = 'Install it: sudo apt-get install bubblewrap (or as your system does).';
    return { check, ok: false, found: 'bubblewrap is not installed; everything but judging works', todo };
  }
  return { check, ok: true, found: stdout.trim() };
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
  const aside = service.dead_letters === 0 ? '' : `, ${service.dead_letters} records laid aside`;
  return { check, ok: true, found: `${service.quiet ? 'quiet' : 'at work'}${aside}` };
}

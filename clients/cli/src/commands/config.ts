import { type Command } from 'commander';
import { type CommandContext, type Run, UsageError } from '../context.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { settingsText } from '../format/settings-text.ts';
import { loadStandalone, type ServiceSettings, type Setting } from '../start/load-standalone.ts';

export function registerConfig(program: Command, run: Run): void {
  program
    .command('config')
    .description(
      'the settings of a service (variable, default, range, unit, meaning), and what is wrong with those set',
    )
    .argument('<service>', 'ingest, normalize, dedup, execute, score, calibrate, select, sample or gateway')
    .action((service: string) => run((context) => showConfig(context, service)));
}

async function showConfig({ output }: CommandContext, service: string): Promise<ExitCode> {
  const { describeSettings, serviceNames } = await loadStandalone();
  const described = describeSettings(service);
  if (described === undefined) throw new UsageError(`no service "${service}"; there are ${serviceNames.join(', ')}`);
  if (output.json) for (const object of objectsOf(described)) await output.object(object);
  else for (const line of settingsText(described)) await output.line(line);
  for (const variable of described.unknown) output.note(`${variable} is no setting of ${service}: misspelt?`);
  for (const fault of described.faults) output.note(fault);
  return described.faults.length === 0 ? exitCodes.success : exitCodes.failure;
}

function objectsOf({ service, own, shared, set }: ServiceSettings): object[] {
  const object = (of: string) => (setting: Setting) => ({ of, ...setting, set: set.includes(setting.variable) });
  return [...own.map(object(service)), ...shared.map(object('every service'))];
}

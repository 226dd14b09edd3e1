import { targetsSchema } from '@tidemark/http-contract';
import { readFile } from 'node:fs/promises';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { type Run, UsageError } from '../context.ts';
import { fileErrorText } from '../file-errors.ts';
import { tableLines } from '../format/table.ts';
import type { Json } from '../gateway-client.ts';
import { targetSlug } from '../numbers.ts';

interface DeclareOptions {
  readonly settings?: string;
  readonly name?: string;
  readonly template?: string;
  readonly answerForm?: string;
  readonly temperature?: number;
  readonly topP?: number;
  readonly maxTokens?: number;
  readonly stop?: readonly string[];
  readonly groupSize?: number;
  readonly endpoint?: string;
  readonly model?: string;
  readonly checkpoint?: string;
}

export function registerTarget(program: Command, run: Run): void {
  const target = program.command('target').description('models that problems are chosen for');
  target
    .command('declare')
    .description('declare a target; other settings than before make a new version')
    .argument('<slug>', 'its name: 1 to 63 of a-z, 0-9 and inner dashes', targetSlug)
    .option('--settings <file>', 'JSON as docs/http.md shows it; options given beside it count more')
    .option('--name <text>', 'name for people')
    .option('--template <file>', 'prompt template with {{statement}}, {{starter_code}}, {{entry_point}}')
    .addOption(new Option('--answer-form <form>', 'what the answer is').choices(['chat', 'completion']))
    .option('--temperature <number>', 'of sampling', number)
    .option('--top-p <number>', 'of sampling', number)
    .option('--max-tokens <count>', 'token limit of an answer', number)
    .option('--stop <text...>', 'texts at which an answer ends; \\n is a line end')
    .option('--group-size <count>', 'attempts of a group', number)
    .option('--endpoint <url>', 'OpenAI-compatible endpoint to measure by')
    .option('--model <name>', 'model to ask the endpoint for')
    .option('--checkpoint <name>', 'name of the first checkpoint (default base)')
    .action((slug: string, options: DeclareOptions) =>
      run(async ({ client, output }) => {
        const body = await settingsOf(options);
        const declared = await client.json(`/v1/targets/${encodeURIComponent(slug)}`, { method: 'PUT', body });
        if (output.json) await output.object(declared);
        else await output.line(declaredText(declared));
        return undefined;
      }),
    );
  target
    .command('list')
    .description('targets and their settings')
    .action(() =>
      run(async ({ client, output }) => {
        const { targets } = await client.answer(targetsSchema, '/v1/targets');
        if (output.json) {
          for (const listed of targets) await output.object(listed);
          return undefined;
        }
        const rows = targets.map(({ target: slug, version, checkpoint, settings }) => [
          slug,
          String(version),
          checkpoint,
          String(settings.group_size),
          settings.selection.policy,
          settings.endpoint_url === '' ? 'reports its own rollouts' : settings.endpoint_url,
        ]);
        const columns = ['target', 'version', 'checkpoint', 'group size', 'policy', 'attempts come from'];
        for (const line of tableLines(
          columns.map((heading) => ({ heading })),
          rows,
        ))
          await output.line(line);
        if (rows.length === 0)
          await output.line('No target is declared. "tidemark target declare <slug>" declares one.');
        return undefined;
      }),
    );
}

async function settingsOf(options: DeclareOptions): Promise<Json> {
  const base = options.settings === undefined ? {} : await readSettings(options.settings);
  const sampling = {
    ...(typeof base.sampling === 'object' ? base.sampling : {}),
    ...(options.temperature !== undefined && { temperature: options.temperature }),
    ...(options.topP !== undefined && { top_p: options.topP }),
    ...(options.maxTokens !== undefined && { max_tokens: options.maxTokens }),
    ...(options.stop !== undefined && { stop_sequences: options.stop.map((text) => text.replaceAll('\\n', '\n')) }),
  };
  return {
    ...base,
    ...(Object.keys(sampling).length > 0 && { sampling }),
    ...(options.name !== undefined && { display_name: options.name }),
    ...(options.template !== undefined && { prompt_template: await readFile(options.template, 'utf8') }),
    ...(options.answerForm !== undefined && { answer_form: options.answerForm }),
    ...(options.groupSize !== undefined && { group_size: options.groupSize }),
    ...(options.endpoint !== undefined && { endpoint_url: options.endpoint }),
    ...(options.model !== undefined && { endpoint_model: options.model }),
    ...(options.checkpoint !== undefined && { checkpoint: options.checkpoint }),
  };
}

async function readSettings(file: string): Promise<Json> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw new UsageError(fileErrorText(error) ?? String(error));
  });
  try {
    return JSON.parse(text) as Json;
  } catch (error) {
    throw new UsageError(`${file} is not JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function declaredText({ target, version, checkpoint, outcome }: Json): string {
  const where = `version ${String(version)}, checkpoint ${String(checkpoint)}`;
  return outcome === 'unchanged'
    ? `${String(target)}: these settings are in force already (${where})`
    : `${String(target)}: ${outcome === 'declared' ? 'declared' : 'declared anew'} (${where})`;
}

function number(text: string): number {
  const value = Number(text);
  if (text.trim() === '' || Number.isNaN(value)) throw new InvalidArgumentError('It is not a number.');
  return value;
}

import type { Command } from 'commander';
import { type CommandContext, type Run, UsageError } from '../context.ts';
import { explainText } from '../format/explain-text.ts';
import type { Json } from '../gateway-client.ts';

interface ExplainOptions {
  readonly namespace?: string;
  readonly id?: string;
}

export function registerExplain(program: Command, run: Run): void {
  program
    .command('explain')
    .description('the whole story of one problem')
    .argument('[problem-id]', '32 hexadecimal digits')
    .option('--namespace <name>', 'in place of the problem id: the source')
    .option('--id <record-id>', "and the source's own id of the record")
    .action((problemId: string | undefined, options: ExplainOptions) =>
      run(async (context) => {
        const id = problemId ?? (await findByRecord(context, options));
        const story = await context.client.json(`/v1/problems/${encodeURIComponent(id)}`);
        if (context.output.json) await context.output.object(story);
        else for (const line of explainText(story)) await context.output.line(line);
        return undefined;
      }),
    );
}

async function findByRecord({ client }: CommandContext, { namespace, id }: ExplainOptions): Promise<string> {
  if (namespace === undefined || id === undefined) throw new UsageError('name a problem id, or --namespace and --id');
  const found = (await client.json('/v1/submissions', { query: { namespace, id } })) as unknown as { problems: Json[] };
  return String(found.problems[0]?.problem_id);
}

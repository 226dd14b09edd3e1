import { submissionsSchema } from '@tidemark/http-contract';
import type { Command } from 'commander';
import { type CommandContext, type Run, UsageError } from '../context.ts';
import { exitCodes } from '../exit-codes.ts';
import { explainText } from '../format/explain-text.ts';
import { fileRows, readLines } from '../lines-of-file.ts';
import { wholeNumber } from '../numbers.ts';

interface ExplainOptions {
  readonly namespace?: string;
  readonly id?: string;
  readonly file?: string;
  readonly line?: number;
}

export function registerExplain(program: Command, run: Run): void {
  program
    .command('explain')
    .description('the whole story of one problem')
    .argument('[problem-id]', '32 hexadecimal digits')
    .option('--namespace <name>', 'in place of the problem id: the source')
    .option('--id <record-id>', "and the source's own id of the record")
    .option('--file <name>', 'or the file that it came in')
    .option('--line <number>', 'and its line', wholeNumber)
    .action((problemId: string | undefined, options: ExplainOptions) =>
      run(async (context) => {
        if (problemId !== undefined && !/^[0-9a-f]{32}$/.test(problemId)) {
          throw new UsageError(`${JSON.stringify(problemId)} is no problem id: those have 32 hexadecimal digits`);
        }
        const id = problemId ?? (await findProblem(context, options));
        if (id === undefined) return exitCodes.success;
        const story = await context.client.json(`/v1/problems/${encodeURIComponent(id)}`);
        if (context.output.json) await context.output.object(story);
        else for (const line of explainText(story)) await context.output.line(line);
        return undefined;
      }),
    );
}

/** @returns undefined when there is no problem, and it was said what there is instead */
async function findProblem(context: CommandContext, options: ExplainOptions): Promise<string | undefined> {
  const { namespace, id, file, line } = options;
  if (namespace !== undefined && id !== undefined) {
    const query = { namespace, id };
    const found = await context.client.answer(submissionsSchema, '/v1/submissions', { query });
    return String(found.problems[0]?.problem_id);
  }
  if (file === undefined || line === undefined) {
    throw new UsageError('name a problem id, or --namespace and --id, or --file and --line');
  }
  const found = await readLines(context.client, file, line, 100);
  const [problem] = found.problems;
  if (problem !== undefined) return String(problem.problem_id);
  const rows = fileRows(found);
  if (rows.length === 0)
    throw new Error(`nothing is known of line ${line} of ${file}: it was not offered under this name`);
  for (const { text, value } of rows) {
    if (context.output.json) await context.output.object(value);
    else await context.output.line(`${file}:${line}: ${text}`);
  }
  return undefined;
}

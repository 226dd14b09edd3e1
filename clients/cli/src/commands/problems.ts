import { problemsPageSchema } from '@tidemark/http-contract';
import { type Command, Option } from 'commander';
import { type CommandContext, type Run, UsageError } from '../context.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { reasonInWords, stateInWords } from '../format/reasons.ts';
import { cut, tableLines } from '../format/table.ts';
import type { Json } from '../gateway-client.ts';
import { fileRows, readLines } from '../lines-of-file.ts';
import { wholeNumber } from '../numbers.ts';

interface ListOptions {
  readonly state?: string;
  readonly reason?: string;
  readonly source?: string;
  readonly file?: string;
  readonly line?: number;
  readonly limit?: number;
}

const PAGE = 500;
const LIST_ROWS = 50;
const FILE_ROWS = 1_000;

export function registerProblems(program: Command, run: Run): void {
  program
    .command('problems')
    .description('list problems by state')
    .addOption(new Option('--state <name>').choices(['waiting', 'rejected', 'withdrawn', 'dead_lettered', 'ready']))
    .option('--reason <code>', 'reason code')
    .option('--source <namespace>', 'source namespace')
    .option('--file <name>', 'what became of the lines of a file, also of those that were refused and of groups')
    .option('--line <number>', 'of the file', wholeNumber)
    .option('--limit <count>', `how many (default: all with --json, else ${LIST_ROWS})`, wholeNumber)
    .action(({ limit, file, line, ...filter }: ListOptions) =>
      run(async (context) => {
        if (file !== undefined) return await showFile(context, file, line, limit ?? FILE_ROWS, filter);
        if (line !== undefined) throw new UsageError('--line wants --file');
        const { client, output } = context;
        const most = limit ?? (output.json ? Number.POSITIVE_INFINITY : LIST_ROWS);
        const rows: string[][] = [];
        let cursor: string | undefined;
        let shown = 0;
        do {
          const query = { ...filter, limit: Math.min(PAGE, most - shown), cursor };
          const page = await client.answer(problemsPageSchema, '/v1/problems', { query });
          for (const problem of page.problems) {
            if (output.json) await output.object(problem);
            else rows.push(rowOf(problem));
          }
          shown += page.problems.length;
          cursor = page.next ?? undefined;
        } while (cursor !== undefined && shown < most);
        if (output.json) return undefined;
        const columns = ['problem', 'state', 'why', 'source', 'title'].map((heading) => ({ heading }));
        for (const line of tableLines(columns, rows)) await output.line(line);
        await output.line(
          rows.length === 0 ? 'No problem is in that state.' : cursor === undefined ? '' : '… and more (--limit)',
        );
        return undefined;
      }),
    );
}

/** Everything that is known of a file's lines, one row each. */
async function showFile(
  { client, output }: CommandContext,
  file: string,
  line: number | undefined,
  limit: number,
  filter: object,
): Promise<ExitCode> {
  if (Object.keys(filter).length > 0) throw new UsageError('--file goes with --line and --limit only');
  const found = await readLines(client, file, line, limit);
  const rows = fileRows(found);
  if (output.json) for (const row of rows) await output.object(row.value);
  else {
    const columns = ['line', 'what', 'why'].map((heading) => ({ heading }));
    const cells = rows.map((row) => [String(row.line), row.subject, row.text]);
    for (const text of tableLines(columns, cells)) await output.line(text);
  }
  if (rows.length > 0) return exitCodes.success;
  const where = line === undefined ? file : `line ${line} of ${file}`;
  output.note(`tidemark: nothing is known of ${where}: it was not offered under this name`);
  return exitCodes.failure;
}

function rowOf(problem: Json): string[] {
  const state = String(problem.state);
  const reason = state === 'ready' ? (problem.held_out === true ? 'held_out' : 'train') : String(problem.reason);
  const source = [problem.namespace, problem.record_id].filter((part) => part !== '').join(' ');
  return [
    String(problem.problem_id),
    stateInWords(state),
    reasonInWords(state, reason),
    source,
    cut(String(problem.title), 40),
  ];
}

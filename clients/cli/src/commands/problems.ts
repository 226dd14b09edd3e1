import { type Command, InvalidArgumentError, Option } from 'commander';
import type { Run } from '../context.ts';
import { reasonInWords, stateInWords } from '../format/reasons.ts';
import { cut, tableLines } from '../format/table.ts';
import type { Json } from '../gateway-client.ts';

interface ListOptions {
  readonly state?: string;
  readonly reason?: string;
  readonly source?: string;
  readonly limit?: number;
}

const PAGE = 500;
const LIST_ROWS = 50;

export function registerProblems(program: Command, run: Run): void {
  program
    .command('problems')
    .description('list problems by state')
    .addOption(new Option('--state <name>').choices(['waiting', 'rejected', 'withdrawn', 'dead_lettered', 'ready']))
    .option('--reason <code>', 'reason code')
    .option('--source <namespace>', 'source namespace')
    .option('--limit <count>', `how many (default: all with --json, else ${LIST_ROWS})`, whole)
    .action(({ limit, ...filter }: ListOptions) =>
      run(async ({ client, output }) => {
        const most = limit ?? (output.json ? Number.POSITIVE_INFINITY : LIST_ROWS);
        const rows: string[][] = [];
        let cursor: string | undefined;
        let shown = 0;
        do {
          const query = { ...filter, limit: Math.min(PAGE, most - shown), cursor };
          const page = (await client.json('/v1/problems', { query })) as unknown as {
            problems: Json[];
            next: string | null;
          };
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

function whole(text: string): number {
  if (!/^[1-9]\d{0,6}$/.test(text)) throw new InvalidArgumentError('It is a whole number from 1.');
  return Number(text);
}

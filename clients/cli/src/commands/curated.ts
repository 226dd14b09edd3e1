import { type Command, InvalidArgumentError, Option } from 'commander';
import type { Run } from '../context.ts';
import { targetSlug } from '../numbers.ts';
import { curatedColumns, curatedRow } from '../format/curated-row.ts';
import { tableLines } from '../format/table.ts';

const LIST_ROWS = 50;

export function registerCurated(program: Command, run: Run): void {
  program
    .command('curated')
    .description('the working set of a target, in rank order')
    .argument('<target>', 'its slug', targetSlug)
    .addOption(
      new Option('--bin <name>', 'of one bin alone').choices(['mastered', 'easy', 'medium', 'hard', 'unsolved']),
    )
    .option('--limit <count>', `how many (default: all with --json, else ${LIST_ROWS})`, whole)
    .action((target: string, { bin, limit }: { bin?: string; limit?: number }) =>
      run(async ({ client, output }) => {
        const path = `/v1/targets/${encodeURIComponent(target)}/curated`;
        if (output.json) {
          for await (const problem of client.lines(path, { query: { bin, limit } })) await output.object(problem);
          return undefined;
        }
        const rows: string[][] = [];
        const query = { bin, limit: limit ?? LIST_ROWS, view: 'summary' };
        for await (const problem of client.lines(path, { query })) rows.push(curatedRow(problem));
        for (const line of tableLines(curatedColumns, rows)) await output.line(line);
        if (rows.length === 0)
          await output.line(`Nothing is curated for ${target}${bin === undefined ? '' : ` in ${bin}`} yet.`);
        return undefined;
      }),
    );
}

function whole(text: string): number {
  if (!/^[1-9]\d{0,6}$/.test(text)) throw new InvalidArgumentError('It is a whole number from 1.');
  return Number(text);
}

import { deadLettersPageSchema } from '@tidemark/http-contract';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { type CommandContext, type Run, UsageError } from '../context.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { letterLines } from '../format/letter-text.ts';
import { cut, plural, show, tableLines } from '../format/table.ts';
import type { Json } from '../gateway-client.ts';

interface Filter {
  readonly topic?: string;
  readonly service?: string;
  readonly code?: string;
  readonly problem?: string;
}

const PAGE = 500;
const LIST_ROWS = 50;

export function registerDlq(program: Command, run: Run): void {
  const dlq = program.command('dlq').description('dead letters: records that a service could not take');
  filtered(dlq.command('list').description('dead letters, oldest first in each topic'))
    .addOption(
      new Option('--state <state>', 'which of them')
        .choices(['open', 'replayed', 'dropped', 'expired', 'all'])
        .default('open'),
    )
    .option('--limit <count>', `how many (default: all with --json, else ${LIST_ROWS})`, whole)
    .action((options: Filter & { state: string; limit?: number }) => run((context) => list(context, options)));
  dlq
    .command('show')
    .description('one dead letter: what failed and why; statements, tests and solutions only with --contents')
    .argument('<id>')
    .option('--contents', 'also what the record holds, hidden tests and solutions among it')
    .action((id: string, { contents }: { contents?: true }) =>
      run(async ({ client, output }) => {
        const query = contents === true ? { contents: true } : {};
        const letter = await client.json(`/v1/dead-letters/${encodeURIComponent(id)}`, { query });
        if (output.json) await output.object(letter);
        else for (const line of letterLines(letter)) await output.line(line);
        if (typeof letter.contents_withheld === 'string') output.note(letter.contents_withheld);
        return undefined;
      }),
    );
  const verbs = [
    ['replay', 'replayed', 'give records to the service that failed once more; what was handled since is not doubled'],
    ['drop', 'dropped', 'put dead letters away: no longer listed, gone when their topic expires'],
  ] as const;
  for (const [verb, done, description] of verbs) {
    filtered(dlq.command(verb).description(description))
      .argument('[ids...]')
      .option('--all', 'every open dead letter')
      .action((ids: string[], options: Filter & { all?: true }) =>
        run((context) => decide(context, verb, done, ids, options)),
      );
  }
}

const filtered = (command: Command): Command =>
  command
    .option('--topic <name>', 'read from this topic')
    .option('--service <name>', 'of this service')
    .option('--code <code>', 'with this error code')
    .option('--problem <id>', 'about this problem');

const queryOf = ({ topic, service, code, problem }: Filter) => ({ topic, service, code, problem_id: problem });

async function list(
  { client, output }: CommandContext,
  { state, limit, ...filter }: Filter & { state: string; limit?: number },
): Promise<undefined> {
  const most = limit ?? (output.json ? Number.POSITIVE_INFINITY : LIST_ROWS);
  const rows: string[][] = [];
  let cursor: string | undefined;
  let shown = 0;
  do {
    const query = { ...queryOf(filter), state, limit: Math.min(PAGE, most - shown), cursor };
    const page = await client.answer(deadLettersPageSchema, '/v1/dead-letters', { query });
    for (const letter of page.dead_letters) {
      if (output.json) await output.object(letter);
      else rows.push(rowOf(letter));
    }
    shown += page.dead_letters.length;
    cursor = page.next ?? undefined;
  } while (cursor !== undefined && shown < most);
  if (output.json) return undefined;
  const columns = ['dead letter', 'state', 'code', 'tried', 'message'].map((heading) => ({ heading }));
  for (const line of tableLines(columns, rows)) await output.line(line);
  if (rows.length === 0) await output.line(state === 'open' ? 'No dead letter is open.' : 'No dead letter is so.');
  else if (cursor !== undefined) await output.line('… and more (--limit)');
  return undefined;
}

const rowOf = (letter: Json): string[] => [
  show(letter.id),
  show(letter.state),
  show(letter.error_code),
  `${show(letter.attempts)}x`,
  cut(show(letter.error_message), 200),
];

async function decide(
  { client, output }: CommandContext,
  verb: 'replay' | 'drop',
  done: 'replayed' | 'dropped',
  ids: readonly string[],
  { all, ...filter }: Filter & { all?: true },
): Promise<ExitCode> {
  const isFiltered = Object.values(filter).some((value) => value !== undefined);
  if (ids.length > 0 && (isFiltered || all === true)) throw new UsageError('Name dead letters, or a filter, not both.');
  if (ids.length === 0 && !isFiltered && all !== true) {
    throw new UsageError(`Which dead letters? Name them, or give --topic, --service, --code, --problem or --all.`);
  }
  let count = 0;
  const refusals = new Map<string, Json>();
  for (let more = true; more; ) {
    const body = ids.length > 0 ? { ids } : isFiltered ? queryOf(filter) : { all: true };
    const answer = await client.json(`/v1/dead-letters/${verb}`, { method: 'POST', body });
    count += Number(answer[done]);
    for (const refusal of answer.refused as Json[]) refusals.set(show(refusal.id), refusal);
    // What is refused stays open: a round that decided nothing would be followed by the same.
    more = answer.more === true && ids.length === 0 && Number(answer[done]) > 0;
  }
  const refused = [...refusals.values()];
  if (output.json) await output.object({ [done]: count, refused });
  else
    await output.line(`${plural(count, 'dead letter')} ${done}${refused.length > 0 ? `, ${refused.length} not` : ''}`);
  if (!output.json) for (const { id, reason } of refused) output.note(`  ${show(id)}: ${show(reason)}`);
  if (refused.length === 0) return exitCodes.success;
  return count > 0 ? exitCodes.partly : exitCodes.failure;
}

function whole(text: string): number {
  if (!/^[1-9]\d{0,6}$/.test(text)) throw new InvalidArgumentError('It is a whole number from 1.');
  return Number(text);
}

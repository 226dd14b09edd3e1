import { basename } from 'node:path';
import { type Submissions, submissionsSchema } from '@tidemark/http-contract';
import { show } from './format/table.ts';
import type { GatewayClient, Json } from './gateway-client.ts';
import { groupText, letterText, problemText } from './tell-failures.ts';

/** One thing that became of a line. */
export interface LineRow {
  readonly line: number;
  /** Id of the problem or of the group; empty for what became neither. */
  readonly subject: string;
  readonly text: string;
  readonly value: Json;
}

/** Asks what became of a file's lines. Files are known by their names, without the folder. */
export async function readLines(
  client: GatewayClient,
  file: string,
  line: number | undefined,
  limit: number,
): Promise<Submissions> {
  const query = { source_file: basename(file), line, limit: Math.min(limit, 1_000) };
  return await client.answer(submissionsSchema, '/v1/submissions', { query });
}

/** In the order of the lines. */
export function fileRows({ problems, refused, groups, dead_letters }: Submissions): LineRow[] {
  const rows = [
    ...problems.map((value) => row(value.line, value.problem_id, problemText(value), value)),
    ...refused.flatMap((value) =>
      ((value.faults ?? []) as readonly Json[]).map((fault) => row(value.line, '', refusedText(fault), value)),
    ),
    ...groups.map((value) => row(value.line, value.group, groupText(value), value)),
    ...dead_letters.map((value) => row(value.source_record, '', letterText(value), value)),
  ];
  return rows.sort((left, right) => left.line - right.line);
}

const row = (line: unknown, subject: unknown, text: string, value: Json): LineRow => ({
  line: Number(line),
  subject: show(subject),
  text,
  value,
});

function refusedText({ field, reason, do: todo }: Json): string {
  const what = [show(field), show(reason)].filter((part) => part !== '').join(' ');
  return `refused at the door: ${what}. ${show(todo)}`;
}

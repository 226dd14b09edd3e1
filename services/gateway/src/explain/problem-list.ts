import type { Sql } from '@tidemark/stage-runtime';
import { z } from 'zod';
import { type Caller, submitterSeenBy } from '../access/caller.ts';
import { assertReason } from './known-reasons.ts';

export const listQuerySchema = z.object({
  state: z.enum(['waiting', 'rejected', 'withdrawn', 'dead_lettered', 'ready']).optional(),
  reason: z.string().max(200).optional(),
  stage: z.string().max(50).optional(),
  /** Source namespace. */
  source: z.string().max(200).optional(),
  held_out: z.stringbool().optional(),
  /** Part of the title, the whole record id, or the start of the problem's id (8 digits or more). */
  q: z.string().max(200).optional(),
  limit: z.coerce.number().int().min(1).max(1_000).default(100),
  /** `next` of the page before. */
  cursor: z
    .string()
    .regex(/^[0-9a-f]{32}$/, 'must be the cursor that the page before gave')
    .optional(),
});
export type ListQuery = z.output<typeof listQuerySchema>;

/** One page of the problems that a caller may ask about, in the order of their ids, which is a stable one while states change. */
export async function listProblems(sql: Sql, caller: Caller, query: ListQuery): Promise<object> {
  const text = query.q?.trim() || null;
  const rows = await sql.query<ProblemRow>(
    `SELECT ${PROBLEM_COLUMNS} FROM problem
     WHERE ($1::text IS NULL OR state = $1) AND ($2::text IS NULL OR reason = $2) AND ($3::text IS NULL OR stage = $3)
       AND ($4::text IS NULL OR namespace = $4) AND ($5::boolean IS NULL OR held_out = $5)
       AND ($6::text IS NULL OR problem_id > $6)
       AND ($11::text IS NULL OR submitter = $11)
       AND ($8::text IS NULL OR title ILIKE $8 OR record_id = $9 OR problem_id LIKE $10)
     ORDER BY problem_id LIMIT $7`,
    [
      query.state ?? null,
      query.reason ?? null,
      query.stage ?? null,
      query.source ?? null,
      query.held_out ?? null,
      query.cursor ?? null,
      query.limit + 1,
      text && `%${escapeLike(text)}%`,
      text,
      text !== null && /^[0-9a-f]{8,32}$/.test(text) ? `${text}%` : null,
      submitterSeenBy(caller) ?? null,
    ],
  );
  if (rows.length === 0 && query.reason !== undefined) await assertReason(sql, query.reason);
  const page = rows.slice(0, query.limit);
  return {
    problems: page.map(problemJson),
    next: rows.length > query.limit ? (page.at(-1)?.problem_id ?? null) : null,
  };
}

const escapeLike = (text: string): string => text.replaceAll(/[\\%_]/g, '\\$&');

export const PROBLEM_COLUMNS = `problem_id, state, version, stage, reason, held_out, incoming, title, namespace, record_id,
  origin, submitter, source_file, source_record::float8 AS source_record, changed_at`;

export interface ProblemRow {
  readonly problem_id: string;
  readonly state: string;
  readonly version: number;
  readonly stage: string;
  readonly reason: string;
  readonly held_out: boolean;
  readonly incoming: object | null;
  readonly title: string;
  readonly namespace: string;
  readonly record_id: string;
  readonly origin: object | null;
  readonly submitter: string;
  readonly source_file: string;
  readonly source_record: number;
  readonly changed_at: Date;
}

/** A problem as lists show it. */
export function problemJson(row: ProblemRow): object {
  return {
    problem_id: row.problem_id,
    title: row.title,
    version: row.version,
    state: row.state,
    ...(row.state !== 'ready' && { stage: row.stage, reason: row.reason }),
    ...(row.state === 'ready' && { held_out: row.held_out }),
    ...(row.incoming !== null && { incoming: row.incoming }),
    namespace: row.namespace,
    record_id: row.record_id,
    submitter: row.submitter,
    source_file: row.source_file,
    source_record: row.source_record,
    changed_at: row.changed_at.toISOString(),
  };
}

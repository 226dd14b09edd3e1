import type { Sql } from '@tidemark/stage-runtime';
import { z } from 'zod';
import { type LetterPlace, letterId, letterPlace } from './letter-id.ts';

const states = ['open', 'replayed', 'dropped', 'expired'] as const;

/** Which letters are meant. */
export const letterFilterSchema = z.object({
  /** Topic that the record was read from. */
  topic: z.string().max(250).optional(),
  service: z.string().max(50).optional(),
  /** Stable error code. */
  code: z.string().max(200).optional(),
  problem_id: z.string().max(64).optional(),
});
export type LetterFilter = z.output<typeof letterFilterSchema>;

export const letterQuerySchema = letterFilterSchema.extend({
  state: z.enum([...states, 'all']).default('open'),
  limit: z.coerce.number().int().min(1).max(1_000).default(100),
  /** `next` of the page before. */
  cursor: z.string().max(300).optional(),
});

export interface LetterRow {
  readonly dlq_topic: string;
  readonly dlq_partition: number;
  readonly dlq_offset: bigint;
  readonly topic: string;
  readonly service: string;
  readonly problem_id: string | null;
  readonly version: number | null;
  readonly source_file: string | null;
  readonly source_record: number | null;
  readonly event_id: string;
  readonly error_code: string;
  readonly error_message: string;
  readonly attempts: number;
  readonly replays: number;
  readonly state: (typeof states)[number];
  readonly decided_by: string | null;
  readonly decided_at: Date | null;
  readonly dead_lettered_at: Date | null;
}

const COLUMNS = `dlq_topic, dlq_partition, dlq_offset, topic, service, problem_id, version, source_file,
  source_record::float8 AS source_record, event_id, error_code, error_message, attempts, replays, state,
  decided_by, decided_at, dead_lettered_at`;

export const placeOf = (row: LetterRow): LetterPlace => ({
  topic: row.dlq_topic,
  partition: row.dlq_partition,
  offset: row.dlq_offset,
});

/** Letters in the order in which they lie, behind `after`. */
export function findLetters(
  sql: Sql,
  filter: LetterFilter,
  state: string,
  after: LetterPlace | undefined,
  limit: number,
): Promise<LetterRow[]> {
  return sql.query<LetterRow>(
    `SELECT ${COLUMNS} FROM dead_letter
     WHERE ($1::text IS NULL OR topic = $1) AND ($2::text IS NULL OR service = $2)
       AND ($3::text IS NULL OR error_code = $3) AND ($4::text IS NULL OR problem_id = $4)
       AND ($5 = 'all' OR state = $5)
       AND ($6::text IS NULL OR (dlq_topic, dlq_partition, dlq_offset) > ($6, $7::integer, $8::bigint))
     ORDER BY dlq_topic, dlq_partition, dlq_offset LIMIT $9`,
    [
      filter.topic ?? null,
      filter.service ?? null,
      filter.code ?? null,
      filter.problem_id ?? null,
      state,
      after?.topic ?? null,
      after?.partition ?? 0,
      after?.offset ?? 0n,
      limit,
    ],
  );
}

/** Letters by their places, locked, in the order in which they lie. */
export function lockLetters(sql: Sql, places: readonly LetterPlace[]): Promise<LetterRow[]> {
  return sql.query<LetterRow>(
    `SELECT ${COLUMNS} FROM dead_letter
     WHERE (dlq_topic, dlq_partition, dlq_offset) IN (SELECT * FROM unnest($1::text[], $2::integer[], $3::bigint[]))
     ORDER BY dlq_topic, dlq_partition, dlq_offset FOR UPDATE`,
    [places.map(({ topic }) => topic), places.map(({ partition }) => partition), places.map(({ offset }) => offset)],
  );
}

export async function decideLetters(
  sql: Sql,
  rows: readonly LetterRow[],
  state: 'replayed' | 'dropped',
  by: string,
): Promise<void> {
  await sql.query(
    `UPDATE dead_letter SET state = $4, decided_by = $5, decided_at = now()
     WHERE (dlq_topic, dlq_partition, dlq_offset) IN (SELECT * FROM unnest($1::text[], $2::integer[], $3::bigint[]))`,
    [
      rows.map(({ dlq_topic }) => dlq_topic),
      rows.map(({ dlq_partition }) => dlq_partition),
      rows.map(({ dlq_offset }) => dlq_offset),
      state,
      by,
    ],
  );
}

/** A letter as lists show it. */
export function letterJson(row: LetterRow): object {
  return {
    id: letterId(placeOf(row)),
    topic: row.topic,
    service: row.service,
    error_code: row.error_code,
    error_message: row.error_message,
    attempts: row.attempts,
    replays: row.replays,
    dead_lettered_at: row.dead_lettered_at?.toISOString() ?? null,
    ...(row.problem_id !== null && { problem_id: row.problem_id }),
    ...(row.version !== null && { version: row.version }),
    ...(row.source_file !== null && { source_file: row.source_file }),
    ...(row.source_record !== null && { source_record: row.source_record }),
    ...(row.event_id !== '' && { event_id: row.event_id }),
    state: row.state,
    ...(row.decided_at !== null && { decided_by: row.decided_by, decided_at: row.decided_at.toISOString() }),
  };
}

/** One page of letters. */
export async function listLetters(sql: Sql, query: z.output<typeof letterQuerySchema>): Promise<object> {
  const after = query.cursor === undefined ? undefined : letterPlace(query.cursor);
  const rows = await findLetters(sql, query, query.state, after, query.limit + 1);
  const page = rows.slice(0, query.limit);
  const last = page.at(-1);
  return {
    dead_letters: page.map(letterJson),
    next: rows.length > query.limit && last !== undefined ? letterId(placeOf(last)) : null,
  };
}

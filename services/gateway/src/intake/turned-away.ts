import { Stage } from '@tidemark/proto';
import type { Sql } from '@tidemark/stage-runtime';

/** Why attempts at a problem do not count: a stage rejected or withdrew it. */
export interface TurnedAway {
  readonly stage: string;
  readonly reason: string;
  /** The problem to report attempts at in its place, where one equals it. */
  readonly instead?: string;
}

/** Which of these problems were turned away; the others are in force, on their way, or not known. */
export async function turnedAwayOf(sql: Sql, problemIds: readonly string[]): Promise<ReadonlyMap<string, TurnedAway>> {
  if (problemIds.length === 0) return new Map();
  const rows = await sql.query<{ problem_id: string; stage: string; reason: string; instead: string | null }>(
    `SELECT p.problem_id, p.stage, p.reason,
       CASE WHEN p.reason = 'exact_duplicate' THEN coalesce(
         (SELECT e ->> 'subject_id' FROM stage_status AS s, jsonb_array_elements(s.evidence) AS e
          WHERE s.problem_id = p.problem_id AND s.stage = ${Stage.DEDUP} AND e ->> 'kind' = 'duplicate_of' LIMIT 1),
         (SELECT w.successor_id FROM withdrawal AS w
          WHERE w.problem_id = p.problem_id AND w.stage = ${Stage.DEDUP} AND NOT w.taken_back)) END AS instead
     FROM problem AS p WHERE p.problem_id = ANY ($1::text[]) AND p.state IN ('rejected', 'withdrawn')
       AND p.stage <> 'ingest'`,
    [[...new Set(problemIds)]],
  );
  return new Map(rows.map(({ problem_id, instead, ...why }) => [problem_id, { ...why, ...(instead && { instead }) }]));
}

import type { DifficultyEstimated } from '@tidemark/proto';
import type { Sql } from '@tidemark/stage-runtime';
import { upsertRows } from '../../postgres/table.ts';
import { dateOf, intervalJson } from '../../read-model/json.ts';
import { difficultyPoints } from './tables.ts';

/** Estimates of one problem and target that are kept. */
export const KEPT_POINTS = 100;

/** Keeps estimates as they follow each other, and drops those that are no longer among the newest. */
export async function keepPoints(sql: Sql, events: readonly DifficultyEstimated[]): Promise<void> {
  if (events.length === 0) return;
  await upsertRows(
    sql,
    difficultyPoints,
    events.map((event) => ({
      target: event.target,
      problem_id: event.problemId,
      evaluation: event.evaluation,
      alpha: event.alpha,
      beta: event.beta,
      mean: event.mean,
      pass_interval: intervalJson(event.interval),
      attempts: event.attempts,
      passes: event.passes,
      bin: event.bin,
      reason: event.reason,
      checkpoint: event.checkpoint,
      estimated_at: dateOf(event.estimatedAt),
    })),
  );
  await sql.query(
    `DELETE FROM difficulty_point AS p USING (
       SELECT d.target, d.problem_id, d.evaluation,
         row_number() OVER (PARTITION BY d.target, d.problem_id ORDER BY d.evaluation DESC) AS place
       FROM (SELECT DISTINCT * FROM unnest($1::text[], $2::text[]) AS t (target, problem_id)) AS t
       JOIN difficulty_point AS d USING (target, problem_id)
     ) AS old
     WHERE old.place > ${KEPT_POINTS}
       AND (p.target, p.problem_id, p.evaluation) = (old.target, old.problem_id, old.evaluation)`,
    [events.map(({ target }) => target), events.map(({ problemId }) => problemId)],
  );
}

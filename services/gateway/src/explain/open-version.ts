import { Split } from '@tidemark/proto';
import type { Sql } from '@tidemark/stage-runtime';

/**
 * The version of a problem whose text is no secret: let in on the trainers' side, and withdrawn by no stage.
 *
 * Any other is held out, may be in a benchmark, or is not known to be neither: a newer version that has not been let in
 * yet may say what the one before did not, and lie on another side.
 *
 * @returns undefined when no version is open
 */
export async function openVersion(sql: Sql, problemId: string): Promise<number | undefined> {
  const [row] = await sql.query<{ version: number }>(
    `SELECT u.version FROM problem_unique AS u
     WHERE u.problem_id = $1 AND u.split = ${Split.TRAIN} AND NOT EXISTS (
       SELECT FROM withdrawal AS w
       WHERE w.problem_id = u.problem_id AND w.version >= u.version AND NOT w.taken_back)`,
    [problemId],
  );
  return row?.version;
}

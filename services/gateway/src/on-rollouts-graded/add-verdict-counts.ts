import { Verdict } from '@tidemark/proto';
import type { Sql } from '@tidemark/stage-runtime';
import type { GroupRow } from './on-rollouts-graded.ts';

/** Verdicts from here on say nothing about the model. */
const FIRST_ENVIRONMENT_FAILURE = 32;

/** Adds groups that were not counted before to the counts by verdict and to their target's totals. */
export async function addVerdictCounts(sql: Sql, groups: readonly GroupRow[]): Promise<void> {
  if (groups.length === 0) return;
  const cells = groups.flatMap((group) => group.verdicts.map((verdict) => ({ group, verdict })));
  await sql.query(
    `INSERT INTO verdict_count AS v (target, problem_id, version, suite_hash, checkpoint, purpose, verdict, attempts)
     SELECT target, problem_id, version, suite_hash, checkpoint, purpose, verdict, count(*)
     FROM unnest($1::text[], $2::text[], $3::integer[], $4::text[], $5::text[], $6::smallint[], $7::smallint[])
       AS c (target, problem_id, version, suite_hash, checkpoint, purpose, verdict)
     GROUP BY 1, 2, 3, 4, 5, 6, 7 ORDER BY 1, 2, 3, 4, 5, 6, 7
     ON CONFLICT (target, problem_id, version, suite_hash, checkpoint, purpose, verdict)
     DO UPDATE SET attempts = v.attempts + excluded.attempts`,
    [
      cells.map(({ group }) => group.target),
      cells.map(({ group }) => group.problem_id),
      cells.map(({ group }) => group.version),
      cells.map(({ group }) => group.suite_hash),
      cells.map(({ group }) => group.checkpoint),
      cells.map(({ group }) => group.purpose),
      cells.map(({ verdict }) => verdict),
    ],
  );
  const count = (verdicts: readonly number[], matches: (verdict: number) => boolean) => verdicts.filter(matches).length;
  await sql.query(
    `INSERT INTO target_count AS t (target, groups, attempts, passes, environment_failures)
     SELECT target, count(*), sum(attempts), sum(passes), sum(failures)
     FROM unnest($1::text[], $2::integer[], $3::integer[], $4::integer[]) AS g (target, attempts, passes, failures)
     GROUP BY target ORDER BY target
     ON CONFLICT (target) DO UPDATE SET groups = t.groups + excluded.groups, attempts = t.attempts + excluded.attempts,
       passes = t.passes + excluded.passes,
       environment_failures = t.environment_failures + excluded.environment_failures`,
    [
      groups.map(({ target }) => target),
      groups.map(({ verdicts }) => count(verdicts, (verdict) => verdict > 0 && verdict < FIRST_ENVIRONMENT_FAILURE)),
      groups.map(({ verdicts }) => count(verdicts, (verdict) => (verdict as Verdict) === Verdict.ACCEPTED)),
      groups.map(({ verdicts }) => count(verdicts, (verdict) => verdict >= FIRST_ENVIRONMENT_FAILURE)),
    ],
  );
}

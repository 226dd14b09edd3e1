import type { Sql } from '@tidemark/stage-runtime';
import type { GroupRow } from './graded-group.ts';

/**
 * Adds groups to the counts by verdict, and those that are evidence to their targets' totals.
 *
 * @param sign -1 takes groups back that were added before
 */
export async function addVerdictCounts(sql: Sql, groups: readonly GroupRow[], sign: 1 | -1 = 1): Promise<void> {
  if (groups.length === 0) return;
  const cells = groups.flatMap((group) => group.counts.cells.map((cell) => ({ group, cell })));
  await sql.query(
    `INSERT INTO verdict_count AS v (target, problem_id, version, suite_hash, checkpoint, purpose, verdict, attempts, truncated)
     SELECT target, problem_id, version, suite_hash, checkpoint, purpose, verdict, sum(attempts), sum(truncated)
     FROM unnest($1::text[], $2::text[], $3::integer[], $4::text[], $5::text[], $6::smallint[], $7::smallint[],
       $8::integer[], $9::integer[])
       AS c (target, problem_id, version, suite_hash, checkpoint, purpose, verdict, attempts, truncated)
     GROUP BY 1, 2, 3, 4, 5, 6, 7 ORDER BY 1, 2, 3, 4, 5, 6, 7
     ON CONFLICT (target, problem_id, version, suite_hash, checkpoint, purpose, verdict)
     DO UPDATE SET attempts = v.attempts + excluded.attempts, truncated = v.truncated + excluded.truncated`,
    [
      cells.map(({ group }) => group.target),
      cells.map(({ group }) => group.problem_id),
      cells.map(({ group }) => group.version),
      cells.map(({ group }) => group.suite_hash),
      cells.map(({ group }) => group.checkpoint),
      cells.map(({ group }) => group.purpose),
      cells.map(({ cell }) => cell.verdict),
      cells.map(({ cell }) => sign * cell.attempts),
      cells.map(({ cell }) => sign * cell.truncated),
    ],
  );
  const counted = groups.flatMap(({ target, counts, counted: isCounted }) =>
    isCounted && counts.totals !== undefined ? [{ target, ...counts.totals }] : [],
  );
  if (counted.length === 0) return;
  await sql.query(
    `INSERT INTO target_count AS t (target, groups, attempts, passes, truncated, environment_failures)
     SELECT target, sum($6::integer), sum(attempts), sum(passes), sum(truncated), sum(failures)
     FROM unnest($1::text[], $2::integer[], $3::integer[], $4::integer[], $5::integer[])
       AS g (target, attempts, passes, truncated, failures)
     GROUP BY target ORDER BY target
     ON CONFLICT (target) DO UPDATE SET groups = t.groups + excluded.groups, attempts = t.attempts + excluded.attempts,
       passes = t.passes + excluded.passes, truncated = t.truncated + excluded.truncated,
       environment_failures = t.environment_failures + excluded.environment_failures`,
    [
      counted.map(({ target }) => target),
      counted.map(({ attempts }) => sign * attempts),
      counted.map(({ passes }) => sign * passes),
      counted.map(({ truncated }) => sign * truncated),
      counted.map(({ environment }) => sign * environment),
      sign,
    ],
  );
}

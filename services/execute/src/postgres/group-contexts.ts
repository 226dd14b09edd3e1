import type { GroupIdentity } from '@tidemark/proto';
import type { Sql } from '@tidemark/stage-runtime';

/** What is known here of what a group speaks of. */
export interface GroupContext {
  readonly targetKnown: boolean;
  /** The version whose suite would judge; 0 when there is none yet. */
  readonly judgedVersion: number;
}

type Wanted = Pick<GroupIdentity, 'target' | 'targetVersion' | 'problemId' | 'version'>;

/** Contexts of these groups, in their order. */
export async function loadGroupContexts(sql: Sql, groups: readonly Wanted[]): Promise<GroupContext[]> {
  const rows = await sql.query<{ target_known: boolean; judged_version: number }>(
    `SELECT t.target IS NOT NULL AS target_known, coalesce(s.version, 0) AS judged_version
     FROM unnest($1::text[], $2::int[], $3::text[], $4::int[]) WITH ORDINALITY
       AS g (target, target_version, problem_id, version, position)
     LEFT JOIN targets t ON t.target = g.target AND t.version = g.target_version
     LEFT JOIN problems p ON p.problem_id = g.problem_id
     LEFT JOIN suites s ON s.problem_id = g.problem_id
       AND s.version = CASE g.version WHEN 0 THEN p.verified_version ELSE g.version END
     ORDER BY g.position`,
    [
      groups.map(({ target }) => target),
      groups.map(({ targetVersion }) => targetVersion),
      groups.map(({ problemId }) => problemId),
      groups.map(({ version }) => version),
    ],
  );
  return rows.map((row) => ({ targetKnown: row.target_known, judgedVersion: row.judged_version }));
}

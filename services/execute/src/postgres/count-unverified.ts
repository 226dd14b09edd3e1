import type { Sql, Waiting } from '@tidemark/stage-runtime';

/** What groups wait for, that which most wait for first; at most 20 things. A group that was sent again counts once. */
export async function countUnverified(sql: Sql): Promise<Waiting[]> {
  const rows = await sql.query<{ kind: string; name: string; count: bigint }>(
    `SELECT kind, name, count(DISTINCT md5(submitted_event)) AS count FROM (
       SELECT p.submitted_event, coalesce(p.language, p.problem_id) AS name,
         CASE WHEN p.language IS NOT NULL THEN 'language' WHEN s.problem_id IS NULL THEN 'verification' END AS kind
       FROM parked_groups p LEFT JOIN problems k ON k.problem_id = p.problem_id
       LEFT JOIN suites s ON s.problem_id = p.problem_id
         AND s.version = CASE p.problem_version WHEN 0 THEN k.verified_version ELSE p.problem_version END) AS missing
     WHERE kind IS NOT NULL GROUP BY kind, name ORDER BY count DESC, kind, name LIMIT 20`,
  );
  return rows.map(({ kind, name, count }) => ({ kind, name, count: Number(count) }));
}

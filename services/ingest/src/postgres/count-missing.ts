import type { Sql, Waiting } from '@tidemark/stage-runtime';

/** What groups wait for, that which most wait for first; at most 20 things. A group that was sent again counts once. */
export async function countMissing(sql: Sql): Promise<Waiting[]> {
  const rows = await sql.query<{ kind: string; name: string; count: bigint }>(
    `SELECT kind, name, count(DISTINCT offer_hash) AS count FROM (
       SELECT p.offer_hash,
         CASE WHEN t.target IS NULL THEN 'target' WHEN c.checkpoint IS NULL THEN 'checkpoint'
           WHEN r.problem_id IS NULL THEN 'problem' WHEN v.version IS NULL THEN 'target_version' END AS kind,
         CASE WHEN t.target IS NULL THEN p.target WHEN c.checkpoint IS NULL THEN p.checkpoint || ' of ' || p.target
           WHEN r.problem_id IS NULL THEN p.problem_id
           ELSE coalesce(p.target_version, c.target_version) || ' of ' || p.target END AS name
       FROM parked_groups p
       LEFT JOIN records r ON r.problem_id = p.problem_id AND r.state IN ('accepted', 'withdrawn')
       LEFT JOIN (SELECT DISTINCT target FROM targets) t ON t.target = p.target
       LEFT JOIN checkpoints c ON c.target = p.target AND c.checkpoint = p.checkpoint
       LEFT JOIN targets v ON v.target = p.target AND v.version = coalesce(p.target_version, c.target_version)) AS missing
     WHERE kind IS NOT NULL GROUP BY kind, name ORDER BY count DESC, kind, name LIMIT 20`,
  );
  return rows.map(({ kind, name, count }) => ({ kind, name, count: Number(count) }));
}

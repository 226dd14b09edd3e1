import type { Sql } from '@tidemark/stage-runtime';

/** Notes that something changed which may move the working set of every target. */
export async function markAllTargets(sql: Sql): Promise<void> {
  await sql.query('INSERT INTO marks (target) SELECT target FROM targets');
}

/** Notes that something changed which may move the working sets of these targets. */
export async function markTargets(sql: Sql, targets: Iterable<string>): Promise<void> {
  const distinct = [...new Set(targets)];
  if (distinct.length > 0) await sql.query('INSERT INTO marks (target) SELECT unnest($1::text[])', [distinct]);
}

import type { Sql } from '@tidemark/stage-runtime';

const TARGETS_LOCK = `hashtextextended('select targets', 0)`;

/**
 * Notes that something changed which may move the working set of every target. Waits for a declaration in flight, and
 * is waited for by one: a target that is declared beside a change must not miss it.
 */
export async function markAllTargets(sql: Sql): Promise<void> {
  await sql.query(`SELECT pg_advisory_xact_lock_shared(${TARGETS_LOCK})`);
  await sql.query('INSERT INTO marks (target) SELECT target FROM targets');
}

/** Taken before a target is added: changes that are not committed yet will then mark it. */
export async function lockTargets(sql: Sql): Promise<void> {
  await sql.query(`SELECT pg_advisory_xact_lock(${TARGETS_LOCK})`);
}

/** Notes that something changed which may move the working sets of these targets. */
export async function markTargets(sql: Sql, targets: Iterable<string>): Promise<void> {
  const distinct = [...new Set(targets)];
  if (distinct.length > 0) await sql.query('INSERT INTO marks (target) SELECT unnest($1::text[])', [distinct]);
}

import type { Sql } from '@tidemark/stage-runtime';

/** Sets on which side of the exam versions lie. @returns the problems of which that was not known or has changed */
export async function saveSplits(
  tx: Sql,
  rows: readonly { problemId: string; version: number; heldOut: boolean }[],
): Promise<string[]> {
  const changed = await tx.query<{ problem_id: string }>(
    `INSERT INTO problem_version AS p (problem_id, version, held_out)
     SELECT * FROM unnest($1::text[], $2::int[], $3::boolean[]) ORDER BY 1, 2
     ON CONFLICT (problem_id, version) DO UPDATE SET held_out = excluded.held_out
     WHERE p.held_out IS DISTINCT FROM excluded.held_out
     RETURNING problem_id`,
    [rows.map((row) => row.problemId), rows.map((row) => row.version), rows.map((row) => row.heldOut)],
  );
  return changed.map((row) => row.problem_id);
}

/**
 * Notes verified versions. The first suite of a version is in force at once; a later one waits beside it until the
 * evidence of the old one has been graded again.
 */
export async function saveVerified(
  tx: Sql,
  rows: readonly { problemId: string; version: number; suiteHash: string }[],
): Promise<void> {
  await tx.query(
    `INSERT INTO problem_version AS p (problem_id, version, verified, suite_hash)
     SELECT problem_id, version, true, suite_hash
     FROM unnest($1::text[], $2::int[], $3::text[]) AS r (problem_id, version, suite_hash) ORDER BY 1, 2
     ON CONFLICT (problem_id, version) DO UPDATE
     SET verified = true,
         suite_hash = coalesce(p.suite_hash, excluded.suite_hash),
         next_suite_hash = CASE WHEN excluded.suite_hash <> p.suite_hash THEN excluded.suite_hash END`,
    [rows.map((row) => row.problemId), rows.map((row) => row.version), rows.map((row) => row.suiteHash)],
  );
}

/** Notes changes of judging suites; the same rule as in {@link saveVerified}, whichever arrives first. */
export async function saveSuiteChanges(
  tx: Sql,
  rows: readonly { problemId: string; version: number; oldSuiteHash: string; newSuiteHash: string }[],
): Promise<void> {
  await tx.query(
    `INSERT INTO problem_version AS p (problem_id, version, suite_hash, next_suite_hash)
     SELECT problem_id, version, coalesce(nullif(old_hash, ''), new_hash), CASE WHEN old_hash <> '' THEN new_hash END
     FROM unnest($1::text[], $2::int[], $3::text[], $4::text[]) AS r (problem_id, version, old_hash, new_hash)
     ORDER BY 1, 2
     ON CONFLICT (problem_id, version) DO UPDATE
     SET suite_hash = coalesce(p.suite_hash, excluded.suite_hash),
         next_suite_hash = CASE WHEN coalesce(excluded.next_suite_hash, excluded.suite_hash)
                                     <> coalesce(p.suite_hash, excluded.suite_hash)
                                THEN coalesce(excluded.next_suite_hash, excluded.suite_hash) END`,
    [
      rows.map((row) => row.problemId),
      rows.map((row) => row.version),
      rows.map((row) => row.oldSuiteHash),
      rows.map((row) => row.newSuiteHash),
    ],
  );
}

/** Puts the waiting suite of a problem in force. @returns the targets that have evidence of the problem */
export async function switchSuite(tx: Sql, problemId: string): Promise<string[]> {
  const switched = await tx.query(
    `UPDATE problem_version SET suite_hash = next_suite_hash, next_suite_hash = NULL
     WHERE problem_id = $1 AND next_suite_hash IS NOT NULL RETURNING version`,
    [problemId],
  );
  if (switched.length === 0) return [];
  const rows = await tx.query<{ target: string }>(
    'SELECT DISTINCT b.target FROM bucket b JOIN target t USING (target) WHERE b.problem_id = $1',
    [problemId],
  );
  return rows.map((row) => row.target);
}

/** Notes scores S, from which a calibration with a curve draws priors. */
export async function saveScores(
  tx: Sql,
  rows: readonly { problemId: string; version: number; score: number }[],
): Promise<void> {
  await tx.query(
    `INSERT INTO problem_version (problem_id, version, score)
     SELECT * FROM unnest($1::text[], $2::int[], $3::float8[]) ORDER BY 1, 2
     ON CONFLICT (problem_id, version) DO UPDATE SET score = excluded.score`,
    [rows.map((row) => row.problemId), rows.map((row) => row.version), rows.map((row) => row.score)],
  );
}

/** A stage withdraws a version and those before it. */
export async function saveWithdrawals(
  tx: Sql,
  rows: readonly { problemId: string; stage: string; version: number }[],
): Promise<void> {
  await tx.query(
    `INSERT INTO withdrawal (problem_id, stage, version)
     SELECT * FROM unnest($1::text[], $2::text[], $3::int[]) ORDER BY 1, 2
     ON CONFLICT (problem_id, stage) DO UPDATE SET version = excluded.version`,
    [rows.map((row) => row.problemId), rows.map((row) => row.stage), rows.map((row) => row.version)],
  );
}

/** A stage takes its withdrawal back. */
export async function takeBackWithdrawals(
  tx: Sql,
  rows: readonly { problemId: string; stage: string }[],
): Promise<void> {
  await tx.query(
    `DELETE FROM withdrawal w USING unnest($1::text[], $2::text[]) AS r (problem_id, stage)
     WHERE w.problem_id = r.problem_id AND w.stage = r.stage`,
    [rows.map((row) => row.problemId), rows.map((row) => row.stage)],
  );
}

/**
 * Notes problems for the next evaluation of every target that has evidence of them, though no group arrived: their version,
 * suite or withdrawal changed. By itself this makes no evaluation due.
 *
 * @param as `evidence` where groups that no evaluation could read can be read now: that makes one due, as groups do
 */
export async function touchProblems(
  tx: Sql,
  problemIds: readonly string[],
  as: 'touched' | 'evidence' = 'touched',
): Promise<void> {
  if (problemIds.length === 0) return;
  await tx.query(
    `INSERT INTO unevaluated (target, problem_id, counted_groups, evidence_groups)
     SELECT DISTINCT b.target, b.problem_id, 0, $2::int FROM bucket b WHERE b.problem_id = ANY($1::text[])`,
    [problemIds, as === 'evidence' ? 1 : 0],
  );
}

/** A problem that attempts can be asked for. */
export interface ReadyProblem {
  readonly problemId: string;
  readonly version: number;
}

/** Problems in the order of their ids whose newest verified version is on the trainers' side and not withdrawn. */
export async function readyProblems(tx: Sql, after: string, limit: number): Promise<ReadyProblem[]> {
  const rows = await tx.query<{ problem_id: string; version: number }>(
    `SELECT p.problem_id, max(p.version) AS version
     FROM problem_version p
     WHERE p.problem_id > $1 AND p.verified AND p.held_out IS FALSE
       AND NOT EXISTS (SELECT FROM problem_version n
                       WHERE n.problem_id = p.problem_id AND n.version > p.version AND n.verified)
       AND NOT EXISTS (SELECT FROM withdrawal w WHERE w.problem_id = p.problem_id AND w.version >= p.version)
     GROUP BY p.problem_id ORDER BY p.problem_id LIMIT $2`,
    [after, limit],
  );
  return rows.map((row) => ({ problemId: row.problem_id, version: row.version }));
}

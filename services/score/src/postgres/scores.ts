import type { Sql } from '@tidemark/stage-runtime';

/** One problem's newest prediction, as it is kept. */
export interface ScoreRow {
  readonly problemId: string;
  readonly version: number;
  readonly suiteHash: string;
  readonly score: number;
  readonly predictor: string;
  readonly predictorVersion: string;
}

/** The versions that were scored, by problem; problems that never were are left out. */
export async function scoredVersions(sql: Sql, problemIds: readonly string[]): Promise<ReadonlyMap<string, number>> {
  const rows = await sql.query<{ problem_id: string; version: number }>(
    'SELECT problem_id, version FROM score WHERE problem_id = ANY($1::text[])',
    [problemIds],
  );
  return new Map(rows.map((row) => [row.problem_id, row.version]));
}

/** Keeps predictions; a problem stands among them once. */
export async function saveScores(sql: Sql, rows: readonly ScoreRow[]): Promise<void> {
  await sql.query(
    `INSERT INTO score (problem_id, version, suite_hash, score, predictor, predictor_version)
     SELECT * FROM unnest($1::text[], $2::int[], $3::text[], $4::float8[], $5::text[], $6::text[])
     ON CONFLICT (problem_id) DO UPDATE SET version = excluded.version, suite_hash = excluded.suite_hash,
       score = excluded.score, predictor = excluded.predictor, predictor_version = excluded.predictor_version`,
    [
      rows.map((row) => row.problemId),
      rows.map((row) => row.version),
      rows.map((row) => row.suiteHash),
      rows.map((row) => row.score),
      rows.map((row) => row.predictor),
      rows.map((row) => row.predictorVersion),
    ],
  );
}

export async function forgetScores(sql: Sql, problemIds: readonly string[]): Promise<void> {
  await sql.query('DELETE FROM score WHERE problem_id = ANY($1::text[])', [problemIds]);
}

import type { Sql } from '@tidemark/stage-runtime';

/** How far a problem has come here. */
export interface KnownProblem {
  readonly version: number;
  /** 0 when no version went on. */
  readonly passedVersion: number;
}

export async function loadProblems(sql: Sql, problemIds: readonly string[]): Promise<Map<string, KnownProblem>> {
  const rows = await sql.query<{ problem_id: string; version: number; passed_version: number }>(
    'SELECT problem_id, version, passed_version FROM problems WHERE problem_id = ANY($1) ORDER BY problem_id FOR UPDATE',
    [problemIds],
  );
  return new Map(rows.map((row) => [row.problem_id, { version: row.version, passedVersion: row.passed_version }]));
}

export async function saveProblems(sql: Sql, problems: ReadonlyMap<string, KnownProblem>): Promise<void> {
  const rows = [...problems].sort(([a], [b]) => (a < b ? -1 : 1));
  await sql.query(
    `INSERT INTO problems (problem_id, version, passed_version)
     SELECT * FROM unnest($1::text[], $2::int[], $3::int[])
     ON CONFLICT (problem_id) DO UPDATE SET version = excluded.version, passed_version = excluded.passed_version`,
    [rows.map(([id]) => id), rows.map(([, row]) => row.version), rows.map(([, row]) => row.passedVersion)],
  );
}

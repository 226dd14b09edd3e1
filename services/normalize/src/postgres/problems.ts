import type { Sql } from '@tidemark/stage-runtime';
import type { KnownProblem } from '../on-problem-raw/decide-progress.ts';

export async function loadProblems(sql: Sql, problemIds: readonly string[]): Promise<Map<string, KnownProblem>> {
  const rows = await sql.query<{
    problem_id: string;
    version: number;
    passed_version: number;
    withdrawn_version: number;
  }>(
    `SELECT problem_id, version, passed_version, withdrawn_version FROM problems WHERE problem_id = ANY($1)
     ORDER BY problem_id FOR UPDATE`,
    [problemIds],
  );
  return new Map(
    rows.map(({ problem_id, version, passed_version: passedVersion, withdrawn_version: withdrawnVersion }) => [
      problem_id,
      { version, passedVersion, withdrawnVersion },
    ]),
  );
}

export async function saveProblems(sql: Sql, problems: ReadonlyMap<string, KnownProblem>): Promise<void> {
  const rows = [...problems].sort(([a], [b]) => (a < b ? -1 : 1));
  await sql.query(
    `INSERT INTO problems (problem_id, version, passed_version, withdrawn_version)
     SELECT * FROM unnest($1::text[], $2::int[], $3::int[], $4::int[])
     ON CONFLICT (problem_id) DO UPDATE SET version = excluded.version, passed_version = excluded.passed_version,
       withdrawn_version = excluded.withdrawn_version`,
    [
      rows.map(([id]) => id),
      rows.map(([, row]) => row.version),
      rows.map(([, row]) => row.passedVersion),
      rows.map(([, row]) => row.withdrawnVersion),
    ],
  );
}

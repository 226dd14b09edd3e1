import type { ProblemWithdrawn } from '@tidemark/proto';
import type { Sql } from '@tidemark/stage-runtime';

/** Each stage's newest word; those of unknown problems are kept too. */
export async function saveWithdrawals(sql: Sql, events: readonly ProblemWithdrawn[]): Promise<void> {
  await sql.query(
    `INSERT INTO withdrawals (problem_id, stage, version)
     SELECT * FROM unnest($1::text[], $2::int[], $3::int[])
     ON CONFLICT (problem_id, stage) DO UPDATE SET version = excluded.version`,
    [
      events.map((event) => event.problemId),
      events.map((event) => event.stage),
      events.map((event) => (event.takenBack ? 0 : event.version)),
    ],
  );
}

/** The highest version that any stage withdraws, by problem; problems that none withdraws are left out. */
export async function withdrawnVersions(sql: Sql, problemIds: readonly string[]): Promise<Map<string, number>> {
  const rows = await sql.query<{ problem_id: string; version: number }>(
    `SELECT problem_id, max(version) AS version FROM withdrawals
     WHERE problem_id = ANY($1::text[]) AND version > 0 GROUP BY problem_id`,
    [problemIds],
  );
  return new Map(rows.map((row) => [row.problem_id, row.version]));
}

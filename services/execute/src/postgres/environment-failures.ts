import type { AttemptVerdict, GroupIdentity } from '@tidemark/proto';
import type { Sql } from '@tidemark/stage-runtime';

/** Keeps apart what says nothing about the model. */
export async function saveEnvironmentFailures(
  sql: Sql,
  group: GroupIdentity,
  verdicts: readonly AttemptVerdict[],
): Promise<void> {
  if (verdicts.length === 0) return;
  await sql.query(
    `INSERT INTO environment_failures (group_id, attempt_index, problem_id, verdict, detail)
     SELECT $1, index, $2, verdict, detail FROM unnest($3::int[], $4::int[], $5::text[]) AS f (index, verdict, detail)
     ON CONFLICT (group_id, attempt_index) DO UPDATE SET verdict = excluded.verdict, detail = excluded.detail,
       failed_at = now()`,
    [
      group.groupId,
      group.problemId,
      verdicts.map(({ index }) => index),
      verdicts.map(({ verdict }) => verdict),
      verdicts.map(({ excerpt }) => excerpt),
    ],
  );
}

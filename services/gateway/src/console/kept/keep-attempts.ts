import type { AttemptVerdict, RolloutsGraded } from '@tidemark/proto';
import type { Sql } from '@tidemark/stage-runtime';
import { insertNewRows } from '../../postgres/table.ts';
import { dateOf } from '../../read-model/json.ts';
import { verdictName } from '../../read-model/names.ts';
import { keptAttempts } from './tables.ts';

/** Groups of one problem and target whose attempts are kept one by one. */
export const KEPT_GROUPS = 20;

/** One attempt as it is kept. */
export interface KeptAttempt {
  readonly index: number;
  readonly verdict: string;
  readonly tests_run: number;
  readonly tests_passed: number;
  readonly cpu_time_ms: number;
  readonly memory_bytes: number;
  readonly failing_test: string;
  readonly excerpt: string;
  readonly truncated: boolean;
  readonly extraction: string;
}

/** Keeps the attempts of groups one by one, and drops those of groups that are no longer among the newest. */
export async function keepAttempts(sql: Sql, events: readonly RolloutsGraded[]): Promise<void> {
  const fresh = await insertNewRows(
    sql,
    keptAttempts,
    events.map(({ group, ...event }) => ({
      target: group?.target ?? '',
      problem_id: group?.problemId ?? '',
      group_id: group?.groupId ?? '',
      suite_hash: event.suiteHash,
      version: group?.version ?? 0,
      checkpoint: group?.checkpoint ?? '',
      purpose: group?.purpose ?? 0,
      submitter: event.submitter?.name ?? '',
      judge_version: event.judgeVersion,
      attempts: event.verdicts.map(attemptOf),
      graded_at: dateOf(event.gradedAt),
    })),
  );
  if (fresh.length === 0) return;
  await sql.query(
    `DELETE FROM kept_attempts AS a USING (
       SELECT k.target, k.problem_id, k.group_id, k.submitter, k.suite_hash,
         row_number() OVER (PARTITION BY k.target, k.problem_id ORDER BY k.graded_at DESC NULLS LAST, k.group_id) AS place
       FROM (SELECT DISTINCT * FROM unnest($1::text[], $2::text[]) AS t (target, problem_id)) AS t
       JOIN kept_attempts AS k USING (target, problem_id)
     ) AS old
     WHERE old.place > ${KEPT_GROUPS} AND (a.target, a.problem_id, a.group_id, a.submitter, a.suite_hash)
       = (old.target, old.problem_id, old.group_id, old.submitter, old.suite_hash)`,
    [fresh.map(({ target }) => target), fresh.map(({ problem_id }) => problem_id)],
  );
}

const attemptOf = (verdict: AttemptVerdict): KeptAttempt => ({
  index: verdict.index,
  verdict: verdictName(verdict.verdict),
  tests_run: verdict.testsRun,
  tests_passed: verdict.testsPassed,
  cpu_time_ms: verdict.cpuTimeMs,
  memory_bytes: Number(verdict.memoryBytes),
  failing_test: verdict.failingTest,
  excerpt: verdict.excerpt,
  truncated: verdict.truncated,
  extraction: verdict.extraction,
});

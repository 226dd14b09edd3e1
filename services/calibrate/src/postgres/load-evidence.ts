import type { AgedCounts } from '@tidemark/difficulty';
import { Purpose } from '@tidemark/proto';
import type { Sql } from '@tidemark/stage-runtime';
import type { ProblemEvidence } from '../evaluate/decide-estimates.ts';

/**
 * The evidence in force of a target's problems, in this transaction's snapshot.
 *
 * - Of a problem: its newest verified version; while none is known, the newest that was graded.
 * - Of its suites: the one in force and what a submitter graded without one. A new suite waits until a regrade has
 *   completed; where the old one judged nothing for this target, there is nothing to wait for.
 * - Of purposes: train and calibrate.
 * - Nothing of a problem whose version a stage withdraws: its groups are kept, and count again when it is taken back.
 * - Nothing of a problem that is not known to be on the trainers' side, whoever graded it.
 *
 * @param scope `touched`: problems that something new was noted of; `all`: every problem with evidence or an estimate
 * @returns one row a problem, in the order of problem ids; without buckets where its evidence left
 */
export async function loadEvidence(
  tx: Sql,
  target: string,
  targetVersion: number,
  scope: 'all' | 'touched',
  ageOf: (checkpoint: string) => number,
): Promise<ProblemEvidence[]> {
  const rows = await tx.query<EvidenceRow>(
    `WITH wanted AS (
       SELECT problem_id FROM unevaluated WHERE target = $1
       UNION SELECT problem_id FROM bucket WHERE target = $1 AND target_version = $2 AND $3
       UNION SELECT problem_id FROM estimate WHERE target = $1 AND $3
     ), versioned AS (
       SELECT w.problem_id,
              coalesce((SELECT max(p.version) FROM problem_version p WHERE p.problem_id = w.problem_id AND p.verified),
                       (SELECT max(b.problem_version) FROM bucket b
                        WHERE b.target = $1 AND b.problem_id = w.problem_id AND b.target_version = $2)) AS version
       FROM wanted w
     ), in_force AS (
       SELECT v.problem_id, v.version,
              CASE WHEN p.next_suite_hash IS NOT NULL AND NOT EXISTS (
                     SELECT FROM bucket b
                     WHERE b.target = $1 AND b.problem_id = v.problem_id AND b.target_version = $2
                       AND b.problem_version = v.version AND b.suite_hash = p.suite_hash)
                   THEN p.next_suite_hash ELSE p.suite_hash END AS suite_hash,
              NOT EXISTS (SELECT FROM withdrawal x WHERE x.problem_id = v.problem_id AND x.version >= v.version)
                AND (SELECT s.held_out FROM problem_version s
                     WHERE s.problem_id = v.problem_id AND s.held_out IS NOT NULL
                     ORDER BY s.version DESC LIMIT 1) IS FALSE AS is_open
       FROM versioned v
       LEFT JOIN problem_version p ON p.problem_id = v.problem_id AND p.version = v.version
       WHERE v.version IS NOT NULL
     )
     SELECT f.problem_id, f.version, coalesce(f.suite_hash, '') AS suite_hash, b.checkpoint,
            coalesce(sum(b.attempts), 0)::float8 AS attempts, coalesce(sum(b.passes), 0)::float8 AS passes,
            coalesce(sum(b.truncated), 0)::float8 AS truncated, coalesce(sum(b.environment), 0)::float8 AS environment
     FROM in_force f
     LEFT JOIN bucket b
       ON f.is_open AND b.target = $1 AND b.problem_id = f.problem_id AND b.target_version = $2 AND b.problem_version = f.version
      AND b.purpose = ANY($4::int[])
      AND (f.suite_hash IS NULL OR b.suite_hash = f.suite_hash OR b.suite_hash = '')
     GROUP BY f.problem_id, f.version, f.suite_hash, b.checkpoint
     ORDER BY f.problem_id, b.checkpoint`,
    [target, targetVersion, scope === 'all', [Purpose.TRAIN, Purpose.CALIBRATE]],
  );
  return groupByProblem(rows, ageOf);
}

interface EvidenceRow {
  readonly problem_id: string;
  readonly version: number;
  readonly suite_hash: string;
  /** Null where no bucket is in force. */
  readonly checkpoint: string | null;
  readonly attempts: number;
  readonly passes: number;
  readonly truncated: number;
  readonly environment: number;
}

function groupByProblem(rows: readonly EvidenceRow[], ageOf: (checkpoint: string) => number): ProblemEvidence[] {
  const problems: ProblemEvidence[] = [];
  let buckets: AgedCounts[] = [];
  let newest: { readonly age: number; readonly checkpoint: string } | undefined;
  for (const row of rows) {
    const last = problems.at(-1);
    const same = last?.problemId === row.problem_id;
    if (!same) {
      buckets = [];
      newest = undefined;
    }
    if (row.checkpoint !== null) {
      const age = ageOf(row.checkpoint);
      buckets.push({ age, attempts: row.attempts, passes: row.passes });
      // Attempts that the environment failed tell nothing of a checkpoint.
      if (row.attempts > 0 && age < (newest?.age ?? Infinity)) newest = { age, checkpoint: row.checkpoint };
    }
    const problem: ProblemEvidence = {
      problemId: row.problem_id,
      problemVersion: row.version,
      suiteHash: row.suite_hash,
      buckets,
      newestCheckpoint: newest?.checkpoint ?? '',
      truncated: (same ? last.truncated : 0) + row.truncated,
      environment: (same ? last.environment : 0) + row.environment,
    };
    if (same) problems[problems.length - 1] = problem;
    else problems.push(problem);
  }
  return problems;
}

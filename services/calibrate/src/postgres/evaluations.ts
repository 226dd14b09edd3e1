import type { Bin } from '@tidemark/difficulty';
import type { EvaluationTrigger } from '@tidemark/proto';
import type { Sql } from '@tidemark/stage-runtime';
import type { Checkpoint } from '../evaluate/checkpoint-ages.ts';
import type { Waiting } from '../evaluate/decide-due.ts';
import type { Estimate, StoredEstimate } from '../evaluate/decide-estimates.ts';
import type { TargetSettings } from '../on-target-declared/decide-settings.ts';

/** Rows of one statement when estimates are stored. */
const CHUNK = 2000;

/**
 * That it is known on which side of the exam the problem of a note lies. Groups of other problems make no evaluation due,
 * since none could read them; their notes stay until one can.
 */
export const SIDE_IS_KNOWN =
  'EXISTS (SELECT FROM problem_version s WHERE s.problem_id = u.problem_id AND s.held_out IS NOT NULL)';

/** Declared targets for which something waits. */
export async function targetsWithWork(sql: Sql): Promise<string[]> {
  const rows = await sql.query<{ target: string }>(
    `SELECT t.target FROM target t
     WHERE EXISTS (SELECT FROM evaluation_request r WHERE r.target = t.target)
        OR EXISTS (SELECT FROM unevaluated u WHERE u.target = t.target AND u.evidence_groups > 0 AND ${SIDE_IS_KNOWN})
     ORDER BY t.target`,
  );
  return rows.map((row) => row.target);
}

/** What waits for a target's next evaluation, in this transaction's snapshot. */
export async function loadWaiting(tx: Sql, target: string): Promise<Waiting> {
  const requests = await tx.query<{ id: string; trigger: EvaluationTrigger; command_id: string }>(
    'SELECT id::text, trigger, command_id FROM evaluation_request WHERE target = $1 ORDER BY evaluation_request.id',
    [target],
  );
  const [groups] = await tx.query<{ evidence_groups: number; first_waited_ms: number }>(
    `SELECT coalesce(sum(evidence_groups), 0)::float8 AS evidence_groups,
            coalesce(extract(epoch FROM clock_timestamp() - min(noted_at) FILTER (WHERE evidence_groups > 0)) * 1000, 0)::float8
              AS first_waited_ms
     FROM unevaluated u WHERE target = $1 AND ${SIDE_IS_KNOWN}`,
    [target],
  );
  return {
    requests: requests.map((row) => ({ id: row.id, trigger: row.trigger, commandId: row.command_id })),
    evidenceGroups: groups?.evidence_groups ?? 0,
    firstWaitedMs: groups?.first_waited_ms ?? 0,
  };
}

/** A target as an evaluation sees it. */
export interface TargetInForce {
  readonly settings: TargetSettings;
  readonly line: readonly Checkpoint[];
  readonly calibration: { readonly version: number; readonly priorAlpha: number; readonly priorBeta: number };
}

export async function loadTarget(tx: Sql, target: string): Promise<TargetInForce | undefined> {
  const [row] = await tx.query<{
    version: number;
    group_size: number;
    has_endpoint: boolean;
    retention: number;
    mastered: number;
    easy: number;
    medium: number;
    enter: number;
    unsolved_attempts: number;
    calibration: number;
    prior_alpha: number;
    prior_beta: number;
  }>(
    `SELECT v.*, c.version AS calibration, c.prior_alpha, c.prior_beta
     FROM target t
     JOIN target_version v USING (target, version)
     JOIN LATERAL (SELECT * FROM calibration c WHERE c.target = t.target AND c.target_version = t.version
                   ORDER BY c.version DESC LIMIT 1) c ON true
     WHERE t.target = $1`,
    [target],
  );
  if (!row) return undefined;
  const line = await tx.query<Checkpoint>(
    'SELECT checkpoint, ordinal::float8 AS ordinal FROM checkpoint WHERE target = $1 ORDER BY ordinal, checkpoint',
    [target],
  );
  return {
    settings: {
      target,
      version: row.version,
      groupSize: row.group_size,
      hasEndpoint: row.has_endpoint,
      retention: row.retention,
      bins: {
        mastered: row.mastered,
        easy: row.easy,
        medium: row.medium,
        enter: row.enter,
        unsolvedAttempts: row.unsolved_attempts,
      },
    },
    line,
    calibration: { version: row.calibration, priorAlpha: row.prior_alpha, priorBeta: row.prior_beta },
  };
}

export async function loadStored(
  tx: Sql,
  target: string,
  scope: 'all' | 'touched',
): Promise<Map<string, StoredEstimate>> {
  const rows = await tx.query<{
    problem_id: string;
    target_version: number;
    problem_version: number;
    suite_hash: string;
    alpha: number;
    beta: number;
    attempts: number;
    passes: number;
    truncated: number;
    environment: number;
    bin: Bin;
    predicted: boolean;
  }>(
    `SELECT problem_id, target_version, problem_version, suite_hash, alpha, beta, attempts::float8, passes::float8,
            truncated::float8, environment::float8, bin, predicted
     FROM estimate e
     WHERE e.target = $1
       AND ($2 OR EXISTS (SELECT FROM unevaluated u WHERE u.target = e.target AND u.problem_id = e.problem_id))`,
    [target, scope === 'all'],
  );
  return new Map(
    rows.map((row) => [
      row.problem_id,
      {
        targetVersion: row.target_version,
        problemVersion: row.problem_version,
        suiteHash: row.suite_hash,
        alpha: row.alpha,
        beta: row.beta,
        attempts: row.attempts,
        passes: row.passes,
        truncated: row.truncated,
        environment: row.environment,
        bin: row.bin,
        predicted: row.predicted,
      },
    ]),
  );
}

export async function saveEstimates(tx: Sql, target: string, estimates: readonly Estimate[]): Promise<void> {
  for (let i = 0; i < estimates.length; i += CHUNK) {
    const chunk = estimates.slice(i, i + CHUNK);
    const column = <T>(of: (estimate: Estimate) => T): T[] => chunk.map(of);
    await tx.query(
      `INSERT INTO estimate (target, problem_id, target_version, problem_version, suite_hash, alpha, beta, attempts, passes,
                             truncated, environment, bin, predicted)
       SELECT $1, * FROM unnest($2::text[], $3::int[], $4::int[], $5::text[], $6::float8[], $7::float8[], $8::bigint[],
                                $9::bigint[], $10::bigint[], $11::bigint[], $12::text[], $13::boolean[])
       ON CONFLICT (target, problem_id) DO UPDATE
       SET target_version = excluded.target_version, problem_version = excluded.problem_version,
           suite_hash = excluded.suite_hash, alpha = excluded.alpha, beta = excluded.beta, attempts = excluded.attempts,
           passes = excluded.passes, truncated = excluded.truncated, environment = excluded.environment,
           bin = excluded.bin, predicted = excluded.predicted`,
      [
        target,
        column((e) => e.problemId),
        column((e) => e.targetVersion),
        column((e) => e.problemVersion),
        column((e) => e.suiteHash),
        column((e) => e.alpha),
        column((e) => e.beta),
        column((e) => e.attempts),
        column((e) => e.passes),
        column((e) => e.truncated),
        column((e) => e.environment),
        column((e) => e.bin),
        column((e) => e.predicted),
      ],
    );
  }
}

export async function removeEstimates(tx: Sql, target: string, problemIds: readonly string[]): Promise<void> {
  if (problemIds.length === 0) return;
  await tx.query('DELETE FROM estimate WHERE target = $1 AND problem_id = ANY($2::text[])', [target, problemIds]);
}

/** Problems of a target by bin. */
export async function countBins(tx: Sql, target: string): Promise<Record<string, number>> {
  const rows = await tx.query<{ bin: string; problems: number }>(
    'SELECT bin, count(*)::int AS problems FROM estimate WHERE target = $1 GROUP BY bin',
    [target],
  );
  return Object.fromEntries(rows.map((row) => [row.bin, row.problems]));
}

/**
 * Settles what the snapshot showed as waiting, and draws the evaluation's number.
 * @returns the number, from 1, and the groups that the target has counted so far
 */
export async function settle(
  tx: Sql,
  target: string,
  requestIds: readonly string[],
): Promise<{ number: bigint; countedGroups: bigint }> {
  await tx.query('DELETE FROM evaluation_request WHERE id = ANY($1::bigint[])', [requestIds]);
  // Rows that came after the snapshot are not visible here and stay for the next evaluation; so does, counted, what this
  // one could not read yet.
  const [row] = await tx.query<{ evaluations: string; counted_groups: string }>(
    `WITH seen AS (
       DELETE FROM unevaluated u WHERE target = $1
       RETURNING problem_id, counted_groups, evidence_groups, noted_at, ${SIDE_IS_KNOWN} AS is_read
     ), kept AS (
       INSERT INTO unevaluated (target, problem_id, counted_groups, evidence_groups, noted_at)
       SELECT $1, problem_id, 0, sum(evidence_groups), min(noted_at) FROM seen WHERE NOT is_read GROUP BY problem_id
     )
     UPDATE target
     SET evaluations = evaluations + 1,
         counted_groups = counted_groups + (SELECT coalesce(sum(counted_groups), 0) FROM seen)
     WHERE target = $1
     RETURNING evaluations::text, counted_groups::text`,
    [target],
  );
  if (!row) throw new Error(`target ${target} has gone`);
  return { number: BigInt(row.evaluations), countedGroups: BigInt(row.counted_groups) };
}

/** Groups of a target that wait for a release that knows their verdicts. */
export async function countParked(tx: Sql, target: string): Promise<number> {
  const [row] = await tx.query<{ parked: number }>(
    'SELECT count(*)::int AS parked FROM parked_group WHERE target = $1',
    [target],
  );
  return row?.parked ?? 0;
}

import type { Sql } from '@tidemark/stage-runtime';

/**
 * Notes one half of a regrade: which problem was to be graded again, or that the command ended. The two come from two
 * topics, in any order.
 *
 * @returns the problem, once when both are known and the command did what was asked
 */
export async function noteRegrade(
  tx: Sql,
  commandId: string,
  half: { readonly problemId: string } | { readonly done: boolean },
): Promise<string | undefined> {
  const [row] = await tx.query<{ problem_id: string | null; done: boolean | null }>(
    `INSERT INTO regrade AS r (command_id, problem_id, done) VALUES ($1, $2, $3)
     ON CONFLICT (command_id) DO UPDATE
     SET problem_id = coalesce(excluded.problem_id, r.problem_id), done = coalesce(excluded.done, r.done)
     RETURNING problem_id, done`,
    [commandId, 'problemId' in half ? half.problemId : null, 'done' in half ? half.done : null],
  );
  if (row === undefined || row.problem_id === null || row.done === null) return undefined;
  await tx.query('DELETE FROM regrade WHERE command_id = $1', [commandId]);
  return row.done ? row.problem_id : undefined;
}

/** @param attempts a problem; 0 for the target's group size */
export async function addMeasurement(tx: Sql, commandId: string, target: string, attempts: number): Promise<void> {
  await tx.query(
    'INSERT INTO measurement (command_id, target, attempts) VALUES ($1, $2, $3) ON CONFLICT (command_id) DO NOTHING',
    [commandId, target, attempts],
  );
}

/** Removes commands whose target has not been declared for so long. @returns them, to be refused */
export async function takeStaleCommands(
  tx: Sql,
  patienceSeconds: number,
): Promise<{ commandId: string; target: string }[]> {
  const rows = await tx.query<{ command_id: string; target: string }>(
    `WITH evaluations AS (
       DELETE FROM evaluation_request r
       WHERE r.command_id <> '' AND r.requested_at < now() - make_interval(secs => $1)
         AND NOT EXISTS (SELECT FROM target t WHERE t.target = r.target)
       RETURNING command_id, target
     ), measurements AS (
       DELETE FROM measurement m
       WHERE m.requested_at < now() - make_interval(secs => $1)
         AND NOT EXISTS (SELECT FROM target t WHERE t.target = m.target)
       RETURNING command_id, target
     )
     SELECT * FROM evaluations UNION ALL SELECT * FROM measurements`,
    [patienceSeconds],
  );
  return rows.map((row) => ({ commandId: row.command_id, target: row.target }));
}

/** A measurement under way. */
export interface Measurement {
  readonly commandId: string;
  readonly target: string;
  readonly targetVersion: number;
  readonly groupSize: number;
  readonly hasEndpoint: boolean;
  /** Attempts a problem. */
  readonly attempts: number;
  /** The last problem that was asked for; empty at the beginning. */
  readonly afterProblem: string;
  readonly problems: number;
  readonly requests: number;
}

/** The oldest measurement whose target is declared, locked for this transaction. */
export async function takeMeasurement(tx: Sql): Promise<Measurement | undefined> {
  const [row] = await tx.query<{
    command_id: string;
    target: string;
    version: number;
    group_size: number;
    has_endpoint: boolean;
    attempts: number;
    after_problem: string;
    problems: number;
    requests: number;
  }>(
    `SELECT m.*, v.version, v.group_size, v.has_endpoint
     FROM measurement m JOIN target t USING (target) JOIN target_version v USING (target, version)
     ORDER BY m.requested_at, m.command_id LIMIT 1 FOR UPDATE OF m SKIP LOCKED`,
  );
  return (
    row && {
      commandId: row.command_id,
      target: row.target,
      targetVersion: row.version,
      groupSize: row.group_size,
      hasEndpoint: row.has_endpoint,
      attempts: row.attempts || row.group_size,
      afterProblem: row.after_problem,
      problems: row.problems,
      requests: row.requests,
    }
  );
}

/** Notes how far a measurement has come. */
export async function advanceMeasurement(tx: Sql, m: Measurement): Promise<void> {
  await tx.query('UPDATE measurement SET after_problem = $2, problems = $3, requests = $4 WHERE command_id = $1', [
    m.commandId,
    m.afterProblem,
    m.problems,
    m.requests,
  ]);
}

export async function endMeasurement(tx: Sql, commandId: string): Promise<void> {
  await tx.query('DELETE FROM measurement WHERE command_id = $1', [commandId]);
}

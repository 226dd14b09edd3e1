import type { Beta } from '@tidemark/difficulty';
import type { EvaluationTrigger } from '@tidemark/proto';
import type { Sql } from '@tidemark/stage-runtime';
import type { TargetSettings } from '../on-target-declared/decide-settings.ts';

/**
 * Saves a declared version; the target's row stays locked for this transaction.
 * @returns whether the version was not known before
 */
export async function saveTargetVersion(tx: Sql, settings: TargetSettings): Promise<boolean> {
  await tx.query(
    `INSERT INTO target AS t (target, version) VALUES ($1, $2)
     ON CONFLICT (target) DO UPDATE SET version = greatest(t.version, excluded.version)`,
    [settings.target, settings.version],
  );
  const [row] = await tx.query<{ fresh: boolean }>(
    `INSERT INTO target_version (target, version, group_size, has_endpoint, retention, mastered, easy, medium, enter,
                                 unsolved_attempts)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
     ON CONFLICT (target, version) DO UPDATE
     SET group_size = excluded.group_size, has_endpoint = excluded.has_endpoint, retention = excluded.retention,
         mastered = excluded.mastered, easy = excluded.easy, medium = excluded.medium, enter = excluded.enter,
         unsolved_attempts = excluded.unsolved_attempts
     RETURNING (xmax = 0) AS fresh`,
    [
      settings.target,
      settings.version,
      settings.groupSize,
      settings.hasEndpoint,
      settings.retention,
      settings.bins.mastered,
      settings.bins.easy,
      settings.bins.medium,
      settings.bins.enter,
      settings.bins.unsolvedAttempts,
    ],
  );
  return row?.fresh ?? false;
}

/** Saves the next calibration of a target whose row this transaction holds. @returns its number, from 1 */
export async function addCalibration(tx: Sql, target: string, targetVersion: number, prior: Beta): Promise<number> {
  const [row] = await tx.query<{ version: number }>(
    `INSERT INTO calibration (target, version, target_version, prior_alpha, prior_beta)
     SELECT $1, coalesce(max(version), 0) + 1, $2, $3, $4 FROM calibration WHERE target = $1
     RETURNING version`,
    [target, targetVersion, prior.alpha, prior.beta],
  );
  return row?.version ?? 1;
}

/** @returns whether the checkpoint is new or has another ordinal than before */
export async function saveCheckpoint(tx: Sql, target: string, checkpoint: string, ordinal: number): Promise<boolean> {
  const rows = await tx.query(
    `INSERT INTO checkpoint AS c (target, checkpoint, ordinal) VALUES ($1, $2, $3)
     ON CONFLICT (target, checkpoint) DO UPDATE SET ordinal = excluded.ordinal WHERE c.ordinal <> excluded.ordinal
     RETURNING ordinal`,
    [target, checkpoint, ordinal],
  );
  return rows.length > 0;
}

/**
 * Asks for an evaluation because ages or priors changed, where there is anything to evaluate. A line that is only being
 * set up gets no evaluation point: it would place problems by whichever part of their first groups has arrived.
 */
export async function requestReevaluation(tx: Sql, target: string, trigger: EvaluationTrigger): Promise<void> {
  await tx.query(
    `INSERT INTO evaluation_request (target, trigger) SELECT $1, $2
     WHERE EXISTS (SELECT FROM estimate WHERE target = $1) OR EXISTS (SELECT FROM unevaluated WHERE target = $1)`,
    [target, trigger],
  );
}

/** Asks for an evaluation of a target by its owner. */
export async function requestEvaluation(
  tx: Sql,
  target: string,
  trigger: EvaluationTrigger,
  commandId = '',
): Promise<void> {
  await tx.query('INSERT INTO evaluation_request (target, trigger, command_id) VALUES ($1, $2, $3)', [
    target,
    trigger,
    commandId,
  ]);
}

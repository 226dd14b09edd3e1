import type { LeasedJob, Sql } from '@tidemark/stage-runtime';

type Job = Pick<LeasedJob<unknown>, 'kind' | 'key'>;

/**
 * Notes that a program of a job broke a sandbox which works. Failures within `gapMs` of the last one counted are the
 * same occasion.
 *
 * @returns occasions so far, this one counted
 */
export async function noteSuspicion(sql: Sql, job: Job, program: string, detail: string, gapMs: number) {
  const [row] = await sql.query<{ occasions: number }>(
    `INSERT INTO suspicions AS s (job_kind, job_key, program, detail) VALUES ($1, $2, $3, $4)
     ON CONFLICT (job_kind, job_key, program) DO UPDATE
     SET occasions = s.occasions + (s.noted_at <= clock_timestamp() - $5 * interval '1 ms')::integer,
       noted_at = CASE WHEN s.noted_at <= clock_timestamp() - $5 * interval '1 ms' THEN clock_timestamp() ELSE s.noted_at END,
       detail = excluded.detail
     RETURNING occasions`,
    [job.kind, job.key, program, detail.slice(0, 500), gapMs],
  );
  return row?.occasions ?? 1;
}

/** A job that ended has no suspects. */
export async function forgetSuspicions(sql: Sql, job: Job): Promise<void> {
  await sql.query('DELETE FROM suspicions WHERE job_kind = $1 AND job_key = $2', [job.kind, job.key]);
}

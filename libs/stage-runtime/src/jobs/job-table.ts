import type { JobKind, NewJob, Sql } from '../api.ts';
import { encodeOrigin } from '../consume/origin-codec.ts';

/** A job in hand; `token` fences it: whoever takes the job next draws a higher one. */
export interface TakenJob {
  readonly kind: string;
  readonly key: string;
  readonly causeId: string;
  readonly traceparent: string | undefined;
  readonly payload: Buffer;
  /** The encoded record that it works on. */
  readonly origin: Buffer | undefined;
  readonly token: bigint;
  /** Times taken, this one counted. */
  readonly attempts: number;
  /** Times it failed by a fault of its own. */
  readonly faults: number;
  /** Times its worker died. */
  readonly losses: number;
}

/** Adds jobs; a (kind, key) that is there stays as it is. */
export async function addJobs<P>(sql: Sql, kind: JobKind<P>, jobs: readonly NewJob<P>[]): Promise<void> {
  if (jobs.length === 0) return;
  const sorted = [...jobs].sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
  await sql.query(
    `INSERT INTO jobs (kind, key, cause_id, traceparent, payload, origin, priority, available_at)
     SELECT $1, key, cause_id, traceparent, payload, origin, priority, clock_timestamp() + delay_ms * interval '1 ms'
     FROM unnest($2::text[], $3::text[], $4::text[], $5::bytea[], $6::bytea[], $7::integer[], $8::float8[])
       AS j (key, cause_id, traceparent, payload, origin, priority, delay_ms)
     ON CONFLICT (kind, key) DO NOTHING`,
    [
      kind.name,
      sorted.map((job) => job.key),
      sorted.map((job) => job.cause.id),
      sorted.map((job) => job.cause.traceparent ?? null),
      sorted.map((job) => Buffer.from(kind.encode(job.payload))),
      sorted.map(({ origin }) => (origin === undefined ? null : encodeOrigin(origin))),
      sorted.map((job) => job.priority ?? 0),
      sorted.map((job) => job.delayMs ?? 0),
    ],
  );
}

/** Takes up to `count` jobs that are due: highest priority first, then the longest due. */
export async function takeJobs(
  sql: Sql,
  kind: Pick<JobKind<unknown>, 'name' | 'leaseMs'>,
  count: number,
  takenBy: string,
): Promise<readonly TakenJob[]> {
  const rows = await sql.query<{
    key: string;
    cause_id: string;
    traceparent: string | null;
    payload: Buffer;
    origin: Buffer | null;
    lease_token: bigint;
    attempts: number;
    faults: number;
    losses: number;
  }>(
    `WITH due AS MATERIALIZED (
       SELECT kind, key FROM jobs WHERE kind = $1 AND available_at <= clock_timestamp()
       ORDER BY priority DESC, available_at LIMIT $2 FOR UPDATE SKIP LOCKED)
     UPDATE jobs j
     SET attempts = j.attempts + 1, losses = j.losses + (j.lease_token IS NOT NULL)::integer,
       lease_token = nextval('job_lease_token'), leased_by = $4,
       available_at = clock_timestamp() + $3 * interval '1 ms'
     FROM due
     WHERE j.kind = due.kind AND j.key = due.key
     RETURNING j.key, j.cause_id, j.traceparent, j.payload, j.origin, j.lease_token, j.attempts, j.faults, j.losses`,
    [kind.name, count, kind.leaseMs, takenBy],
  );
  return rows.map((row) => ({
    kind: kind.name,
    key: row.key,
    causeId: row.cause_id,
    traceparent: row.traceparent ?? undefined,
    payload: row.payload,
    origin: row.origin ?? undefined,
    token: row.lease_token,
    attempts: row.attempts,
    faults: row.faults,
    losses: row.losses,
  }));
}

/** Prolongs leases of jobs in hand. @returns the tokens still held */
export async function heartbeatJobs(
  sql: Sql,
  kind: Pick<JobKind<unknown>, 'name' | 'leaseMs'>,
  jobs: readonly TakenJob[],
): Promise<ReadonlySet<bigint>> {
  const rows = await sql.query<{ lease_token: bigint }>(
    `UPDATE jobs SET available_at = clock_timestamp() + $4 * interval '1 ms'
     FROM unnest($2::text[], $3::bigint[]) AS h (key, token)
     WHERE jobs.kind = $1 AND jobs.key = h.key AND jobs.lease_token = h.token
     RETURNING lease_token`,
    [kind.name, jobs.map((job) => job.key), jobs.map((job) => job.token), kind.leaseMs],
  );
  return new Set(rows.map((row) => row.lease_token));
}

/** Removes a job that is still ours. @returns false when it is not */
export async function removeJob(sql: Sql, job: TakenJob): Promise<boolean> {
  const rows = await sql.query('DELETE FROM jobs WHERE kind = $1 AND key = $2 AND lease_token = $3 RETURNING 1', [
    job.kind,
    job.key,
    job.token,
  ]);
  return rows.length > 0;
}

/** Gives a job back, to be taken again after a while. `faults` counts what was its own fault; `waitsFor` names another's. */
export async function putBackJob(
  sql: Sql,
  job: TakenJob,
  afterMs: number,
  faults: number,
  lastError: string | null,
  waitsFor: string | null = null,
): Promise<void> {
  await sql.query(
    `UPDATE jobs SET lease_token = NULL, leased_by = NULL, faults = $5, last_error = coalesce($6, last_error),
       waits_for = $7, available_at = clock_timestamp() + $4 * interval '1 ms'
     WHERE kind = $1 AND key = $2 AND lease_token = $3`,
    [job.kind, job.key, job.token, afterMs, faults, lastError, waitsFor],
  );
}

/** Open jobs of a kind, counted no further than `limit`. */
export async function countJobs(sql: Sql, kind: string, limit: number): Promise<number> {
  const [row] = await sql.query<{ count: bigint }>(
    'SELECT count(*) AS count FROM (SELECT 1 FROM jobs WHERE kind = $1 LIMIT $2) AS open',
    [kind, limit],
  );
  return Number(row?.count ?? 0);
}

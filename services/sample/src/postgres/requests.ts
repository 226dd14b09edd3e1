import { create } from '@bufbuild/protobuf';
import { type RolloutsRequested, RolloutsRequestedSchema } from '@tidemark/proto';
import type { Cause, Sql } from '@tidemark/stage-runtime';

/** A request that is kept, with what its answer will be caused by. */
export interface KeptRequest {
  readonly request: RolloutsRequested;
  readonly cause: Cause;
}

interface RequestRow {
  readonly request_id: string;
  readonly target: string;
  readonly target_version: number;
  readonly checkpoint: string;
  readonly problem_id: string;
  readonly version: number;
  readonly purpose: number;
  readonly attempts: number;
  readonly cause_id: string;
  readonly traceparent: string | null;
}

/**
 * Keeps requests from missing what they wait for: a request looks for its problem and target, which look for waiting
 * requests, and one of the two has to see the other. Held until the transaction ends.
 *
 * @param side `requests` excludes everybody, `arrivals` only requests
 */
export async function lockRequests(sql: Sql, side: 'requests' | 'arrivals'): Promise<void> {
  const take = side === 'requests' ? 'pg_advisory_xact_lock' : 'pg_advisory_xact_lock_shared';
  await sql.query(`SELECT ${take}(hashtext(current_schema()), hashtext('requests'))`);
}

/** Keeps new requests as waiting; one that is known by its id stays as it is. @returns the ids of the new ones */
export async function addRequests(sql: Sql, requests: readonly KeptRequest[]): Promise<readonly string[]> {
  const rows = await sql.query<{ request_id: string }>(
    `INSERT INTO request (request_id, target, target_version, checkpoint, problem_id, version, purpose, attempts, state,
       cause_id, traceparent)
     SELECT id, target, target_version, checkpoint, problem_id, version, purpose, attempts, 'waiting', cause_id, traceparent
     FROM unnest($1::text[], $2::text[], $3::int[], $4::text[], $5::text[], $6::int[], $7::int[], $8::int[], $9::text[],
       $10::text[]) AS r (id, target, target_version, checkpoint, problem_id, version, purpose, attempts, cause_id,
       traceparent)
     ON CONFLICT (request_id) DO NOTHING RETURNING request_id`,
    [
      requests.map(({ request }) => request.requestId),
      requests.map(({ request }) => request.target),
      requests.map(({ request }) => request.targetVersion),
      requests.map(({ request }) => request.checkpoint),
      requests.map(({ request }) => request.problemId),
      requests.map(({ request }) => request.version),
      requests.map(({ request }) => request.purpose),
      requests.map(({ request }) => request.attempts),
      requests.map(({ cause }) => cause.id),
      requests.map(({ cause }) => cause.traceparent ?? null),
    ],
  );
  return rows.map((row) => row.request_id);
}

export async function waitingRequests(
  sql: Sql,
  by: { readonly problemIds?: readonly string[]; readonly targets?: readonly string[] },
): Promise<readonly KeptRequest[]> {
  const rows = await sql.query<RequestRow>(
    `SELECT * FROM request WHERE state = 'waiting' AND (problem_id = ANY($1::text[]) OR target = ANY($2::text[]))
     ORDER BY request_id FOR UPDATE`,
    [by.problemIds ?? [], by.targets ?? []],
  );
  return rows.map(toKept);
}

/** The request, in whatever state it is. */
export async function loadRequest(sql: Sql, requestId: string): Promise<KeptRequest | undefined> {
  const [row] = await sql.query<RequestRow>('SELECT * FROM request WHERE request_id = $1', [requestId]);
  return row && toKept(row);
}

export interface RequestState {
  readonly requestId: string;
  readonly state: 'asking' | 'done' | 'refused';
  /** Stable code: why it was refused, or ended with fewer answers than were wanted; else empty. */
  readonly reason: string;
}

export async function setStates(sql: Sql, states: readonly RequestState[]): Promise<void> {
  await sql.query(
    `UPDATE request SET state = s.state, reason = s.reason
     FROM unnest($1::text[], $2::text[], $3::text[]) AS s (id, state, reason) WHERE request_id = s.id`,
    [states.map(({ requestId }) => requestId), states.map(({ state }) => state), states.map(({ reason }) => reason)],
  );
}

/** Refuses what waited for longer, and forgets what ended a week ago. @returns how many were refused */
export async function ageRequests(sql: Sql, waitingHours: number): Promise<number> {
  const refused = await sql.query(
    `UPDATE request SET state = 'refused', reason = 'waited_too_long'
     WHERE state = 'waiting' AND requested_at < now() - $1 * interval '1 hour' RETURNING 1`,
    [waitingHours],
  );
  await sql.query(
    `DELETE FROM request WHERE state IN ('done', 'refused') AND requested_at < now() - ($1 + 168) * interval '1 hour'`,
    [waitingHours],
  );
  await sql.query('DELETE FROM answer a WHERE NOT EXISTS (SELECT FROM request r WHERE r.request_id = a.request_id)');
  return refused.length;
}

const toKept = (row: RequestRow): KeptRequest => ({
  request: create(RolloutsRequestedSchema, {
    requestId: row.request_id,
    target: row.target,
    targetVersion: row.target_version,
    checkpoint: row.checkpoint,
    problemId: row.problem_id,
    version: row.version,
    purpose: row.purpose,
    attempts: row.attempts,
  }),
  cause: { id: row.cause_id, traceparent: row.traceparent ?? undefined },
});

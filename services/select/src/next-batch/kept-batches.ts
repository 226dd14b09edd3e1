import { create, fromBinary } from '@bufbuild/protobuf';
import {
  CuratedProblemSchema,
  type ReplayBatchRequest,
  type ReplayBatchResponse,
  ReplayBatchResponseSchema,
} from '@tidemark/proto';
import type { Sql } from '@tidemark/stage-runtime';
import { READY } from '../reselect/ready.ts';

/** What a replay can meet on a good day. */
export type Replay =
  | { readonly kind: 'done'; readonly response: ReplayBatchResponse }
  | { readonly kind: 'unknown batch' }
  | { readonly kind: 'bad request'; readonly reason: string };

interface LeasedRow {
  readonly lease_id: string;
  readonly problem_id: string;
  readonly content: Buffer;
  readonly expires_at_ms: bigint;
  readonly open: boolean;
}

/**
 * A batch as it was given out: what its problems said then, though they say something else by now. What trainers may not
 * be shown any more (its version withdrawn by a stage, or on the side of the exam) is named by id alone.
 */
export async function replayBatch(sql: Sql, { target, batch, seed }: ReplayBatchRequest): Promise<Replay> {
  const [kept] = await sql.query<{ seed: bigint }>('SELECT seed FROM batches WHERE target = $1 AND batch = $2', [
    target,
    batch,
  ]);
  if (kept === undefined) return { kind: 'unknown batch' };
  if (kept.seed !== seed) return { kind: 'bad request', reason: `batch ${batch} was not given out with seed ${seed}` };
  const rows = await sql.query<LeasedRow>(
    `SELECT p.lease_id, p.problem_id, p.content, floor(extract(epoch FROM p.expires_at) * 1000)::bigint AS expires_at_ms,
       ${READY} AS open
     FROM (SELECT l.*, coalesce(known.held_out, false) AS held_out
           FROM problem_leases AS l LEFT JOIN problems AS known USING (problem_id)
           WHERE l.target = $1 AND l.batch = $2 AND l.content IS NOT NULL) AS p
     ORDER BY p.position`,
    [target, batch],
  );
  return {
    kind: 'done',
    response: create(ReplayBatchResponseSchema, {
      problems: rows
        .filter(({ open }) => open)
        .map(({ lease_id: leaseId, content }) => ({ leaseId, problem: fromBinary(CuratedProblemSchema, content) })),
      withdrawn: rows.filter(({ open }) => !open).map(({ problem_id }) => problem_id),
      expiresAtMs: rows[0]?.expires_at_ms ?? 0n,
    }),
  };
}

import { create, fromBinary } from '@bufbuild/protobuf';
import { Injectable } from '@nestjs/common';
import {
  CuratedProblemSchema,
  type NextBatchRequest,
  type NextBatchResponse,
  NextBatchResponseSchema,
  type ReturnLeasesResponse,
  ReturnLeasesResponseSchema,
} from '@tidemark/proto';
import { InjectConfig, LeaseKeeper, StageDatabase, type StageTransaction } from '@tidemark/stage-runtime';
import { randomUUID } from 'node:crypto';
import { OUTSIDE_PANEL, READY } from '../reselect/ready.ts';
import { targetLease } from '../reselect/reselect.ts';
import { inOrderOf } from './in-order-of.ts';
import type { SelectConfig } from '../select.config.ts';

export const MAX_BATCH = 10_000;
/** The greatest number that every client's JSON holds. */
const MAX_SEED = 2n ** 53n - 1n;
const MAX_LEASE_MS = 86_400_000;

/** What a request about a target's leases can meet on a good day. */
export type Outcome<R> =
  | { readonly kind: 'done'; readonly response: R }
  | { readonly kind: 'unknown target' }
  | { readonly kind: 'bad request'; readonly reason: string }
  | { readonly kind: 'owned elsewhere'; readonly owner: string };

/** Leases the best free problems of a target's working set to one holder. */
@Injectable()
export class NextBatch {
  constructor(
    private readonly database: StageDatabase,
    private readonly leases: LeaseKeeper,
    @InjectConfig() private readonly config: SelectConfig,
  ) {}

  async take(request: NextBatchRequest): Promise<Outcome<NextBatchResponse>> {
    const { target, count } = request;
    if (count < 1 || count > MAX_BATCH) {
      return { kind: 'bad request', reason: `count is ${count}; ask for 1 to ${MAX_BATCH} problems` };
    }
    if (request.seed > MAX_SEED) return { kind: 'bad request', reason: `seed is above ${MAX_SEED}` };
    if (request.leaseMs > MAX_LEASE_MS) {
      return { kind: 'bad request', reason: `lease_ms is ${request.leaseMs}; the longest lease is ${MAX_LEASE_MS}` };
    }
    return this.asOwner(target, async (tx) => {
      const [row] = await tx.query<{ batches: string }>(
        'UPDATE targets SET batches = batches + 1 WHERE target = $1 RETURNING batches',
        [target],
      );
      return leaseBest(tx, request, BigInt(row?.batches ?? 0), request.leaseMs || this.config.leaseMs);
    });
  }

  /** Gives back those of the leases that are open. */
  giveBack(target: string, leaseIds: readonly string[]): Promise<Outcome<ReturnLeasesResponse>> {
    return this.asOwner(target, async (tx) => {
      const returned = await tx.query(
        `UPDATE problem_leases SET state = 'returned' WHERE target = $1 AND lease_id = ANY($2) AND state = 'open' RETURNING lease_id`,
        [target, leaseIds],
      );
      return create(ReturnLeasesResponseSchema, { returned: returned.length });
    });
  }

  /** Does the work in a transaction that holds only while this replica owns the target. */
  private async asOwner<R>(target: string, work: (tx: StageTransaction) => Promise<R>): Promise<Outcome<R>> {
    const known = await this.database.query('SELECT FROM targets WHERE target = $1', [target]);
    if (known.length === 0) return { kind: 'unknown target' };
    const lease = await this.leases.acquire(targetLease(target));
    if (lease === undefined) {
      const owner = await this.leases.ownerOf(targetLease(target));
      return { kind: 'owned elsewhere', owner: owner?.address ?? '' };
    }
    return this.database.transaction('leases', async (tx) => {
      await tx.assertLease(lease);
      return { kind: 'done', response: await work(tx) };
    });
  }
}

async function leaseBest(
  tx: StageTransaction,
  { target, count, holder, seed }: NextBatchRequest,
  batch: bigint,
  leaseMs: number,
): Promise<NextBatchResponse> {
  // What was reported since its value was last drawn comes after the rest: its value is about to change.
  const free = await tx.query<{ content: Buffer }>(
    `SELECT m.content FROM members m JOIN problems p ON p.problem_id = m.problem_id
     WHERE m.target = $1 AND ${READY} AND ${OUTSIDE_PANEL} AND NOT EXISTS (
       SELECT FROM problem_leases l WHERE l.target = m.target AND l.problem_id = m.problem_id
         AND l.state = 'open' AND l.expires_at > clock_timestamp())
     ORDER BY EXISTS (
       SELECT FROM problem_leases l WHERE l.target = m.target AND l.problem_id = m.problem_id
         AND l.state = 'closed' AND l.closed_at > m.updated_at), m.rank
     LIMIT $2`,
    [target, count],
  );
  const best = free.map(({ content }) => ({
    leaseId: randomUUID(),
    problem: fromBinary(CuratedProblemSchema, content),
    content,
  }));
  const problems = inOrderOf(seed, best, ({ problem }) => problem.problemId);
  const [times] = await tx.query<{ expires_at_ms: string; working_set: number }>(
    `WITH expiry AS (SELECT clock_timestamp() + $3 * interval '1 millisecond' AS at), taken AS (
       INSERT INTO problem_leases (lease_id, target, problem_id, version, batch, position, holder, state, expires_at, content)
       SELECT lease_id, $1, problem_id, version, $2, position, $4, 'open', expiry.at, content
       FROM expiry, unnest($5::text[], $6::text[], $7::int[], $8::bytea[]) WITH ORDINALITY
         AS leased (lease_id, problem_id, version, content, position)), kept AS (
       INSERT INTO batches (target, batch, seed) VALUES ($1, $2, $9))
     SELECT floor(extract(epoch FROM at) * 1000)::bigint AS expires_at_ms,
       (SELECT count(*)::int FROM members WHERE target = $1) AS working_set FROM expiry`,
    [
      target,
      batch,
      leaseMs,
      holder,
      problems.map(({ leaseId }) => leaseId),
      problems.map(({ problem }) => problem.problemId),
      problems.map(({ problem }) => problem.version),
      // As it was given out: for who asks for the batch again.
      problems.map(({ content }) => content),
      seed,
    ],
  );
  return create(NextBatchResponseSchema, {
    batch,
    problems,
    expiresAtMs: BigInt(times?.expires_at_ms ?? 0),
    workingSet: times?.working_set ?? 0,
  });
}

import { promisify } from 'node:util';
import { zstdCompress, zstdDecompress } from 'node:zlib';
import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import {
  type NextBatchResponse,
  NextBatchResponseSchema,
  type ReplayBatchRequest,
  type ReplayBatchResponse,
  ReplayBatchResponseSchema,
} from '@tidemark/proto';
import type { Sql } from '@tidemark/stage-runtime';
import { READY } from '../reselect/ready.ts';

const compress = promisify(zstdCompress);
const decompress = promisify(zstdDecompress);

/** What a replay can meet on a good day. */
export type Replay =
  | { readonly kind: 'done'; readonly response: ReplayBatchResponse }
  | { readonly kind: 'unknown batch' }
  | { readonly kind: 'bad request'; readonly reason: string };

/** Keeps a batch as it is given out, for {@link replayBatch}. */
export async function keepBatch(sql: Sql, target: string, seed: bigint, response: NextBatchResponse): Promise<void> {
  const content = await compress(toBinary(NextBatchResponseSchema, response));
  await sql.query('INSERT INTO batches (target, batch, seed, content, blobs) VALUES ($1, $2, $3, $4, $5)', [
    target,
    response.batch,
    seed,
    content,
    blobsOf(response),
  ]);
}

/** What the compressed content names, for who sweeps the blob store and can't read it. */
const blobsOf = ({ problems }: NextBatchResponse): string[] =>
  problems.flatMap(({ problem }) =>
    [problem?.statement, problem?.publicTests].flatMap((payload) =>
      payload === undefined || payload.inline !== undefined ? [] : [payload.sha256],
    ),
  );

/**
 * A batch as it was given out: what its problems said then, though they say something else by now. What trainers may not
 * be shown any more is named by id alone.
 */
export async function replayBatch(sql: Sql, { target, batch, seed }: ReplayBatchRequest): Promise<Replay> {
  const [row] = await sql.query<{ seed: bigint; content: Buffer }>(
    'SELECT seed, content FROM batches WHERE target = $1 AND batch = $2',
    [target, batch],
  );
  if (row === undefined) return { kind: 'unknown batch' };
  if (row.seed !== seed) return { kind: 'bad request', reason: `batch ${batch} was not given out with seed ${seed}` };
  const given = fromBinary(NextBatchResponseSchema, await decompress(row.content));
  const open = await openOf(sql, given);
  const isOpen = (id: string | undefined) => id !== undefined && open.has(id);
  return {
    kind: 'done',
    response: create(ReplayBatchResponseSchema, {
      problems: given.problems.filter(({ problem }) => isOpen(problem?.problemId)),
      withdrawn: given.problems.flatMap(({ problem }) =>
        problem === undefined || isOpen(problem.problemId) ? [] : [problem.problemId],
      ),
      expiresAtMs: given.expiresAtMs,
    }),
  };
}

/** Those whose versions, as they were given out, no stage has withdrawn and that are not held out. */
async function openOf(sql: Sql, { problems }: NextBatchResponse): Promise<ReadonlySet<string>> {
  const rows = await sql.query<{ problem_id: string }>(
    `SELECT p.problem_id
     FROM (SELECT given.problem_id, given.version, coalesce(known.held_out, false) AS held_out
           FROM unnest($1::text[], $2::int[]) AS given (problem_id, version)
           LEFT JOIN problems AS known USING (problem_id)) AS p
     WHERE ${READY}`,
    [problems.map(({ problem }) => problem?.problemId ?? ''), problems.map(({ problem }) => problem?.version ?? 0)],
  );
  return new Set(rows.map(({ problem_id }) => problem_id));
}

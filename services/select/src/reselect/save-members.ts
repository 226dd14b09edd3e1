import { toBinary } from '@bufbuild/protobuf';
import { type Bin, CuratedProblemSchema } from '@tidemark/proto';
import type { Sql } from '@tidemark/stage-runtime';
import { READY } from './ready.ts';
import type { PublishedMember, WorkingSetChanges } from './decide-changes.ts';

/** The working set as last published. */
export async function loadMembers(sql: Sql, slug: string): Promise<ReadonlyMap<string, PublishedMember>> {
  const rows = await sql.query<{ problem_id: string; fingerprint: string; bin: Bin }>(
    'SELECT problem_id, fingerprint, bin FROM members WHERE target = $1',
    [slug],
  );
  return new Map(
    rows.map(({ problem_id, fingerprint, bin }) => [problem_id, { problemId: problem_id, fingerprint, bin }]),
  );
}

/** Stores what was published, and the rank of every member. @param ranked problem ids, best first */
export async function saveMembers(
  sql: Sql,
  slug: string,
  changes: WorkingSetChanges,
  ranked: readonly string[],
): Promise<void> {
  await sql.query('DELETE FROM members WHERE target = $1 AND problem_id = ANY($2)', [slug, changes.leave]);
  await sql.query(
    `INSERT INTO members (target, problem_id, rank, fingerprint, bin, content)
     SELECT $1, problem_id, 0, fingerprint, bin, content
     FROM unnest($2::text[], $3::text[], $4::smallint[], $5::bytea[]) AS changed (problem_id, fingerprint, bin, content)
     ON CONFLICT (target, problem_id) DO UPDATE SET fingerprint = excluded.fingerprint, bin = excluded.bin,
       content = excluded.content, updated_at = clock_timestamp()`,
    [
      slug,
      changes.publish.map(({ record }) => record.problemId),
      changes.publish.map(({ fingerprint }) => fingerprint),
      changes.publish.map(({ record }) => record.bin),
      changes.publish.map(({ record }) => Buffer.from(toBinary(CuratedProblemSchema, record))),
    ],
  );
  await sql.query(
    `UPDATE members SET rank = ranked.rank
     FROM unnest($2::text[]) WITH ORDINALITY AS ranked (problem_id, rank)
     WHERE members.target = $1 AND members.problem_id = ranked.problem_id AND members.rank <> ranked.rank`,
    [slug, ranked],
  );
}

/**
 * Voids open leases of problems that leave because they may not be trained on any more. Waits for a batch in flight,
 * whose leases this transaction could not see otherwise.
 */
export async function voidLeases(sql: Sql, slug: string, leaving: readonly string[]): Promise<void> {
  if (leaving.length === 0) return;
  await sql.query('SELECT FROM targets WHERE target = $1 FOR UPDATE', [slug]);
  await sql.query(
    `UPDATE problem_leases l SET state = 'void'
     WHERE l.target = $1 AND l.state = 'open' AND l.problem_id = ANY($2)
       AND NOT EXISTS (SELECT FROM problems p WHERE p.problem_id = l.problem_id AND p.version = l.version AND ${READY})`,
    [slug, leaving],
  );
}

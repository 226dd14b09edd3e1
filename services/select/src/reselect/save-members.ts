import { fromBinary, toBinary } from '@bufbuild/protobuf';
import { CuratedProblemSchema } from '@tidemark/proto';
import type { Sql } from '@tidemark/stage-runtime';
import type { PublishedMember, WorkingSetChanges } from './decide-changes.ts';

/** The working set as last published. */
export async function loadMembers(sql: Sql, slug: string): Promise<ReadonlyMap<string, PublishedMember>> {
  const rows = await sql.query<{ problem_id: string; fingerprint: string; content: Buffer }>(
    'SELECT problem_id, fingerprint, content FROM members WHERE target = $1',
    [slug],
  );
  return new Map(
    rows.map(({ problem_id, fingerprint, content }) => [
      problem_id,
      { problemId: problem_id, fingerprint, bin: fromBinary(CuratedProblemSchema, content).bin },
    ]),
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
    `INSERT INTO members (target, problem_id, rank, fingerprint, content)
     SELECT $1, problem_id, 0, fingerprint, content
     FROM unnest($2::text[], $3::text[], $4::bytea[]) AS changed (problem_id, fingerprint, content)
     ON CONFLICT (target, problem_id) DO UPDATE SET fingerprint = excluded.fingerprint, content = excluded.content`,
    [
      slug,
      changes.publish.map(({ record }) => record.problemId),
      changes.publish.map(({ fingerprint }) => fingerprint),
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

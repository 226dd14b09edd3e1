import type { Counts } from '@tidemark/difficulty';
import type { Sql } from '@tidemark/stage-runtime';
import type { EvidenceBucket } from '../on-rollouts-graded/decide-counting.ts';

/** A graded group: its bucket holds the rest of its identity. */
export interface CountedGroup {
  readonly groupId: string;
  readonly bucket: EvidenceBucket;
  readonly counts: Counts;
}

const IDENTITY = 'target, problem_id, group_id, submitter, suite_hash';

/** What tells two graded groups apart: whose, of which problem, for which target, under which suite. */
export const identityOf = ({ groupId, bucket }: Pick<CountedGroup, 'groupId' | 'bucket'>): string =>
  JSON.stringify([bucket.target, bucket.problemId, groupId, bucket.submitter, bucket.suiteHash]);

/**
 * Notes groups as counted.
 *
 * Ids that were noted before problem and submitter belonged to them stand without both until their window closes. Such an
 * id is taken for a group's where the buckets of its window and suite hold evidence of the group's problem and submitter.
 * What was counted under no named suite then can't be taken out again: there the first grade stands.
 *
 * @returns the identities of those that were not counted before
 */
export async function noteCounted(tx: Sql, groups: readonly CountedGroup[]): Promise<Set<string>> {
  if (groups.length === 0) return new Set();
  // Only one of two batches may hold a group under a named suite while the other holds it under none: else neither sees
  // the other's, and both count.
  const exclusive = groups.some(({ bucket }) => bucket.suiteHash === '') ? '' : '_shared';
  await tx.query(`SELECT pg_advisory_xact_lock${exclusive}(hashtextextended('calibrate/unnamed-suites', 0))`);
  const column = <T>(of: (group: CountedGroup) => T): T[] => groups.map(of);
  // One order for all replicas: two batches that hold the same ids wait for each other instead of deadlocking.
  const rows = await tx.query<Row>(
    `INSERT INTO counted_group (${IDENTITY}, window_hour, unnamed)
     SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::int[], $7::jsonb[])
       AS g (${IDENTITY}, window_hour, unnamed)
     WHERE NOT EXISTS (
       SELECT FROM counted_group u
       JOIN bucket b ON b.target = u.target AND b.problem_id = g.problem_id AND b.submitter = g.submitter
                    AND b.suite_hash = u.suite_hash AND b.window_hour = u.window_hour
       WHERE u.target = g.target AND u.problem_id = '' AND u.submitter = '' AND u.group_id = g.group_id
         AND (u.suite_hash = g.suite_hash OR u.suite_hash = '' OR g.suite_hash = ''))
     ORDER BY ${IDENTITY}
     ON CONFLICT DO NOTHING
     RETURNING ${IDENTITY}`,
    [
      column(({ bucket }) => bucket.target),
      column(({ bucket }) => bucket.problemId),
      column(({ groupId }) => groupId),
      column(({ bucket }) => bucket.submitter),
      column(({ bucket }) => bucket.suiteHash),
      column(({ bucket }) => bucket.windowHour),
      column(({ bucket, counts }) => (bucket.suiteHash === '' ? JSON.stringify({ bucket, counts }) : null)),
    ],
  );
  return new Set(rows.map(fromRow).map(identityOf));
}

/**
 * Of a group that was graded under a named suite, what was graded without one counts no more: marks it, whichever of the
 * two came first.
 *
 * @param groups those that were noted just now
 * @returns what is to be taken out of the buckets again
 */
export async function takeOverruled(
  tx: Sql,
  groups: readonly CountedGroup[],
): Promise<Pick<CountedGroup, 'bucket' | 'counts'>[]> {
  const rows = await tx.query<{ unnamed: Pick<CountedGroup, 'bucket' | 'counts'> }>(
    `WITH noted AS (
       SELECT DISTINCT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[])
         AS g (target, problem_id, group_id, submitter)
     ), overruled AS (
       SELECT u.target, u.problem_id, u.group_id, u.submitter, u.unnamed
       FROM noted JOIN counted_group u USING (target, problem_id, group_id, submitter)
       WHERE u.suite_hash = '' AND u.unnamed IS NOT NULL
         AND EXISTS (SELECT FROM counted_group n
                     WHERE n.target = u.target AND n.problem_id = u.problem_id AND n.group_id = u.group_id
                       AND n.submitter = u.submitter AND n.suite_hash <> '')
       ORDER BY 1, 2, 3, 4
       FOR UPDATE OF u
     ), cleared AS (
       UPDATE counted_group u SET unnamed = NULL FROM overruled o
       WHERE u.target = o.target AND u.problem_id = o.problem_id AND u.group_id = o.group_id
         AND u.submitter = o.submitter AND u.suite_hash = ''
     )
     SELECT unnamed FROM overruled`,
    [
      groups.map(({ bucket }) => bucket.target),
      groups.map(({ bucket }) => bucket.problemId),
      groups.map(({ groupId }) => groupId),
      groups.map(({ bucket }) => bucket.submitter),
    ],
  );
  return rows.map(({ unnamed }) => unnamed);
}

interface Row {
  readonly target: string;
  readonly problem_id: string;
  readonly group_id: string;
  readonly submitter: string;
  readonly suite_hash: string;
}

const fromRow = ({ target, problem_id, group_id, submitter, suite_hash }: Row) => ({
  groupId: group_id,
  bucket: { target, problemId: problem_id, submitter, suiteHash: suite_hash } as EvidenceBucket,
});

import type { Counts } from '@tidemark/difficulty';
import type { Sql } from '@tidemark/stage-runtime';
import type { EvidenceBucket } from '../on-rollouts-graded/decide-counting.ts';

/** What is added to a bucket. */
export interface BucketAddition {
  readonly bucket: EvidenceBucket;
  readonly groups: number;
  readonly counts: Counts;
}

/** What the next evaluation of a target has to look at. */
export interface Unevaluated {
  readonly target: string;
  readonly problemId: string;
  /** Groups counted, whatever they were made for. */
  readonly countedGroups: number;
  /** Groups among them that posteriors read. */
  readonly evidenceGroups: number;
}

/**
 * The first hour whose groups may still be counted. The row stays locked for this transaction, so that no window closes
 * while its groups are being counted.
 */
export async function firstOpenHour(tx: Sql): Promise<number> {
  const [row] = await tx.query<{ before_hour: number }>('SELECT before_hour FROM closed_window FOR SHARE');
  return row?.before_hour ?? 0;
}

/** Adds counts to buckets, also negative ones; a bucket without a group goes. Each bucket may occur once. */
export async function addToBuckets(tx: Sql, additions: readonly BucketAddition[]): Promise<void> {
  if (additions.length === 0) return;
  const column = <T>(of: (addition: BucketAddition) => T): T[] => additions.map(of);
  await tx.query(
    `INSERT INTO bucket AS b (target, target_version, problem_id, problem_version, suite_hash, judge_version, checkpoint,
                              purpose, submitter, prompt_hash, window_hour,
                              groups, attempts, passes, truncated, environment)
     SELECT * FROM unnest($1::text[], $2::int[], $3::text[], $4::int[], $5::text[], $6::text[], $7::text[],
                          $8::int[], $9::text[], $10::text[], $11::int[],
                          $12::bigint[], $13::bigint[], $14::bigint[], $15::bigint[], $16::bigint[])
     ORDER BY 1, 3, 2, 4, 5, 6, 7, 8, 9, 10, 11
     ON CONFLICT (target, problem_id, target_version, problem_version, suite_hash, judge_version, checkpoint, purpose,
                  submitter, prompt_hash, window_hour)
     DO UPDATE SET groups = b.groups + excluded.groups,
                   attempts = b.attempts + excluded.attempts,
                   passes = b.passes + excluded.passes,
                   truncated = b.truncated + excluded.truncated,
                   environment = b.environment + excluded.environment`,
    [
      column(({ bucket }) => bucket.target),
      column(({ bucket }) => bucket.targetVersion),
      column(({ bucket }) => bucket.problemId),
      column(({ bucket }) => bucket.problemVersion),
      column(({ bucket }) => bucket.suiteHash),
      column(({ bucket }) => bucket.judgeVersion),
      column(({ bucket }) => bucket.checkpoint),
      column(({ bucket }) => bucket.purpose),
      column(({ bucket }) => bucket.submitter),
      column(({ bucket }) => bucket.promptHash),
      column(({ bucket }) => bucket.windowHour),
      column(({ groups }) => groups),
      column(({ counts }) => counts.attempts),
      column(({ counts }) => counts.passes),
      column(({ counts }) => counts.truncated),
      column(({ counts }) => counts.environment),
    ],
  );
  if (!additions.some(({ groups }) => groups <= 0)) return;
  await tx.query(
    `DELETE FROM bucket b USING unnest($1::text[], $2::text[]) AS r (target, problem_id)
     WHERE b.target = r.target AND b.problem_id = r.problem_id AND b.groups = 0`,
    [column(({ bucket }) => bucket.target), column(({ bucket }) => bucket.problemId)],
  );
}

/** Appends to what the next evaluation looks at. */
export async function noteUnevaluated(tx: Sql, notes: readonly Unevaluated[]): Promise<void> {
  if (notes.length === 0) return;
  await tx.query(
    `INSERT INTO unevaluated (target, problem_id, counted_groups, evidence_groups)
     SELECT * FROM unnest($1::text[], $2::text[], $3::int[], $4::int[])`,
    [
      notes.map((note) => note.target),
      notes.map((note) => note.problemId),
      notes.map((note) => note.countedGroups),
      notes.map((note) => note.evidenceGroups),
    ],
  );
}

import type { Sql } from '@tidemark/stage-runtime';

/** What dedup said of a version. */
export interface DuplicateWord {
  readonly problemId: string;
  readonly version: number;
  /** Undefined: it is no exact duplicate. */
  readonly duplicateOf: string | undefined;
}

/** Each problem's newest word. A problem occurs once in a batch, or its last word counts. */
export async function saveDuplicates(sql: Sql, words: readonly DuplicateWord[]): Promise<void> {
  const newest = [...new Map(words.map((word) => [word.problemId, word])).values()];
  const none = newest.filter((word) => word.duplicateOf === undefined);
  const some = newest.filter((word) => word.duplicateOf !== undefined);
  if (none.length > 0)
    await sql.query('DELETE FROM duplicates WHERE problem_id = ANY ($1::text[])', [none.map((word) => word.problemId)]);
  if (some.length === 0) return;
  await sql.query(
    `INSERT INTO duplicates (problem_id, version, duplicate_of)
     SELECT * FROM unnest($1::text[], $2::int[], $3::text[]) ORDER BY 1
     ON CONFLICT (problem_id) DO UPDATE SET version = excluded.version, duplicate_of = excluded.duplicate_of`,
    [some.map((word) => word.problemId), some.map((word) => word.version), some.map((word) => word.duplicateOf)],
  );
}

/**
 * Of row `p` of the groups that wait: its problem is an exact duplicate of one that is verified and in force. While the
 * other is still being verified it may be found wanting, and then the duplicate takes its place and is verified itself.
 */
export const DUPLICATES_A_VERIFIED = `EXISTS (
  SELECT FROM duplicates d JOIN problems k ON k.problem_id = d.duplicate_of
  WHERE d.problem_id = p.problem_id AND p.problem_version <= d.version AND k.state = 'verified'
    AND NOT EXISTS (SELECT FROM withdrawals w WHERE w.problem_id = k.problem_id AND w.version >= k.version))`;

/** What these problems are duplicates of. */
export async function duplicatedBy(sql: Sql, problemIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const rows = await sql.query<{ problem_id: string; duplicate_of: string }>(
    'SELECT problem_id, duplicate_of FROM duplicates WHERE problem_id = ANY ($1::text[])',
    [problemIds],
  );
  return new Map(rows.map((row) => [row.problem_id, row.duplicate_of]));
}

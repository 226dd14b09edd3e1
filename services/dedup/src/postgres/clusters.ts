import type { Sql } from '@tidemark/stage-runtime';
import type { Member, SplitSide } from '../clusters/decide-cluster.ts';
import type { Said } from '../clusters/decide-words.ts';

/** A member with what was said of it. */
export interface LoadedMember extends Member, Said {
  readonly statementSha256: string;
}

export interface LoadedCluster {
  readonly identity: string;
  readonly split: SplitSide | undefined;
  readonly members: readonly LoadedMember[];
}

/** Locks clusters until the transaction ends, in the order of their identities, making those that are not there. */
export async function lockClusters(sql: Sql, identities: Iterable<string>): Promise<void> {
  const sorted = [...new Set(identities)].sort();
  if (sorted.length === 0) return;
  await sql.query(
    `INSERT INTO clusters (identity_sha256) SELECT id FROM unnest($1::text[]) AS id ORDER BY id ON CONFLICT DO NOTHING`,
    [sorted],
  );
  await sql.query('SELECT FROM clusters WHERE identity_sha256 = ANY($1) ORDER BY identity_sha256 FOR UPDATE', [sorted]);
}

interface Row {
  readonly identity_sha256: string;
  readonly statement_sha256: string;
  readonly split: SplitSide | null;
  readonly problem_id: string;
  readonly version: number;
  readonly published_ms: bigint | null;
  readonly contaminated_by: string | null;
  readonly contaminated_item: string | null;
  readonly similarity: number | null;
  readonly excluded_version: number;
  readonly seen_as_train: boolean;
  readonly unique_version: number;
  readonly withdrawn_version: number;
  readonly said: string;
}

/** The clusters with all their members; clusters without one are left out. Lock them first. */
export async function loadClusters(sql: Sql, identities: Iterable<string>): Promise<LoadedCluster[]> {
  const rows = await sql.query<Row>(
    `SELECT c.identity_sha256, c.split, p.problem_id, p.version, p.published_ms, p.statement_sha256,
       p.contaminated_by, p.contaminated_item, p.similarity, p.seen_as_train, p.unique_version, p.withdrawn_version, p.said,
       coalesce((SELECT max(value::int) FROM jsonb_each_text(p.exclusions)), 0) AS excluded_version
     FROM clusters c JOIN problems p USING (identity_sha256)
     WHERE c.identity_sha256 = ANY($1)
     ORDER BY c.identity_sha256, p.problem_id`,
    [[...new Set(identities)]],
  );
  return [...Map.groupBy(rows, (row) => row.identity_sha256)].map(([identity, members]) => ({
    identity,
    split: members[0]?.split ?? undefined,
    members: members.map(toMember),
  }));
}

function toMember(row: Row): LoadedMember {
  const { contaminated_by: benchmark, contaminated_item: itemId, similarity } = row;
  const contaminated = benchmark !== null && itemId !== null && similarity !== null;
  return {
    problemId: row.problem_id,
    version: row.version,
    statementSha256: row.statement_sha256,
    publishedMs: row.published_ms === null ? undefined : Number(row.published_ms),
    contamination: contaminated ? { benchmark, itemId, similarity } : undefined,
    excludedVersion: row.excluded_version,
    seenAsTrain: row.seen_as_train,
    uniqueVersion: row.unique_version,
    withdrawnVersion: row.withdrawn_version,
    said: row.said,
  };
}

/** Problems with an equal statement in another cluster, at most `limit` for each statement. */
export async function loadEqualStatements(
  sql: Sql,
  statements: readonly string[],
  limit: number,
): Promise<(statementSha256: string, identity: string) => string[]> {
  const rows = await sql.query<{ statement_sha256: string; identity_sha256: string; problem_id: string }>(
    `SELECT s.statement_sha256, p.identity_sha256, p.problem_id
     FROM unnest($1::text[]) AS s (statement_sha256)
     CROSS JOIN LATERAL (
       SELECT identity_sha256, min(problem_id) AS problem_id FROM problems
       WHERE statement_sha256 = s.statement_sha256 AND identity_sha256 IS NOT NULL
       GROUP BY identity_sha256 ORDER BY min(problem_id) LIMIT $2
     ) p`,
    [[...new Set(statements)], limit + 1],
  );
  const byStatement = Map.groupBy(rows, (row) => row.statement_sha256);
  return (statementSha256, identity) =>
    (byStatement.get(statementSha256) ?? [])
      .filter((row) => row.identity_sha256 !== identity)
      .map((row) => row.problem_id)
      .slice(0, limit);
}

export async function loadNormalized(sql: Sql, problemIds: readonly string[]): Promise<Map<string, Uint8Array>> {
  const rows = await sql.query<{ problem_id: string; normalized: Uint8Array }>(
    'SELECT problem_id, normalized FROM problems WHERE problem_id = ANY($1)',
    [problemIds],
  );
  return new Map(rows.map((row) => [row.problem_id, row.normalized]));
}

export async function saveSplits(sql: Sql, splits: ReadonlyMap<string, SplitSide>): Promise<void> {
  await sql.query(
    `UPDATE clusters SET split = s.split FROM unnest($1::text[], $2::text[]) AS s (identity_sha256, split)
     WHERE clusters.identity_sha256 = s.identity_sha256`,
    [[...splits.keys()], [...splits.values()]],
  );
}

/** What was said now, and whether as train. */
export async function saveSaid(
  sql: Sql,
  said: ReadonlyMap<string, Said & { readonly asTrain: boolean }>,
): Promise<void> {
  const rows = [...said];
  await sql.query(
    `UPDATE problems SET unique_version = s.unique_version, withdrawn_version = s.withdrawn_version, said = s.said,
       seen_as_train = seen_as_train OR s.as_train
     FROM unnest($1::text[], $2::int[], $3::int[], $4::text[], $5::bool[])
       AS s (problem_id, unique_version, withdrawn_version, said, as_train)
     WHERE problems.problem_id = s.problem_id`,
    [
      rows.map(([id]) => id),
      rows.map(([, one]) => one.uniqueVersion),
      rows.map(([, one]) => one.withdrawnVersion),
      rows.map(([, one]) => one.said),
      rows.map(([, one]) => one.asTrain),
    ],
  );
}

import type { Sql } from '@tidemark/stage-runtime';
import type { Member, SplitSide } from '../clusters/decide-cluster.ts';
import type { Said } from '../clusters/decide-words.ts';
import type { Place } from './problems.ts';

/** A member with what was said of it. */
export interface LoadedMember extends Member, Said {
  /** Versions of the benchmarks that it was checked against, by name. */
  readonly checkedBenchmarks: Readonly<Record<string, number>>;
}

export interface LoadedCluster {
  readonly identity: string;
  /** Of all its members: problems of one identity have one statement. */
  readonly statementSha256: string;
  readonly members: readonly LoadedMember[];
}

/**
 * Locks statements and clusters until the transaction ends, each in the order of their hashes, making those that are not
 * there. Whoever changes which problems a cluster holds, or what is said of them, holds both.
 */
export async function lockPlaces(sql: Sql, places: Iterable<Place>): Promise<void> {
  const all = [...places];
  await lockStatements(sql, all);
  await lockClusters(
    sql,
    all.map((place) => place.identity),
  );
}

async function lockStatements(sql: Sql, places: readonly Place[]): Promise<void> {
  const sorted = [...new Set(places.map((place) => place.statement))].sort();
  if (sorted.length === 0) return;
  await sql.query(
    `INSERT INTO statements (statement_sha256) SELECT s FROM unnest($1::text[]) AS s ORDER BY s ON CONFLICT DO NOTHING`,
    [sorted],
  );
  await sql.query('SELECT FROM statements WHERE statement_sha256 = ANY($1) ORDER BY statement_sha256 FOR UPDATE', [
    sorted,
  ]);
}

/** Clusters alone, for those whose statements are locked. */
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
  readonly checked_benchmarks: Record<string, number>;
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
    `SELECT p.identity_sha256, p.checked_benchmarks, p.problem_id, p.version, p.published_ms, p.statement_sha256,
       p.contaminated_by, p.contaminated_item, p.similarity, p.seen_as_train, p.unique_version, p.withdrawn_version, p.said,
       coalesce((SELECT max(value::int) FROM jsonb_each_text(p.exclusions)), 0) AS excluded_version
     FROM problems p
     WHERE p.identity_sha256 = ANY($1)
     ORDER BY p.identity_sha256, p.problem_id`,
    [[...new Set(identities)]],
  );
  return [...Map.groupBy(rows, (row) => row.identity_sha256)].map(([identity, members]) => ({
    identity,
    statementSha256: members[0]?.statement_sha256 ?? '',
    members: members.map(toMember),
  }));
}

function toMember(row: Row): LoadedMember {
  const { contaminated_by: benchmark, contaminated_item: itemId, similarity } = row;
  const contaminated = benchmark !== null && itemId !== null && similarity !== null;
  return {
    problemId: row.problem_id,
    version: row.version,
    checkedBenchmarks: row.checked_benchmarks,
    publishedMs: row.published_ms === null ? undefined : Number(row.published_ms),
    contamination: contaminated ? { benchmark, itemId, similarity } : undefined,
    excludedVersion: row.excluded_version,
    seenAsTrain: row.seen_as_train,
    uniqueVersion: row.unique_version,
    withdrawnVersion: row.withdrawn_version,
    said: row.said,
  };
}

export async function loadNormalized(sql: Sql, problemIds: readonly string[]): Promise<Map<string, Uint8Array>> {
  const rows = await sql.query<{ problem_id: string; normalized: Uint8Array }>(
    'SELECT problem_id, normalized FROM problems WHERE problem_id = ANY($1)',
    [problemIds],
  );
  return new Map(rows.map((row) => [row.problem_id, row.normalized]));
}

/** Keeps the sides of clusters too, for a replica of the former release, which draws by cluster. */
export async function saveSplits(sql: Sql, splits: ReadonlyMap<string, SplitSide>): Promise<void> {
  if (splits.size === 0) return;
  await sql.query(
    `UPDATE clusters SET split = s.split FROM unnest($1::text[], $2::text[]) AS s (identity_sha256, split)
     WHERE clusters.identity_sha256 = s.identity_sha256 AND clusters.split IS DISTINCT FROM s.split`,
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

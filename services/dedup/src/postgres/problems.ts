import type { Grams, Overlap } from '@tidemark/contamination';
import type { Sql } from '@tidemark/stage-runtime';
import type { CheckedBenchmarks } from './benchmarks.ts';

/** A normalized problem, checked against the benchmarks. */
export interface CheckedProblem {
  readonly problemId: string;
  readonly version: number;
  readonly identitySha256: string;
  readonly statementSha256: string;
  /** In ms since 1970; undefined when unknown. */
  readonly publishedMs: number | undefined;
  /** Serialised `ProblemNormalized`. */
  readonly normalized: Uint8Array;
  readonly grams: Grams;
  readonly contamination: Overlap | undefined;
}

/** What clusters and statements a problem belongs to. */
export interface Place {
  readonly identity: string;
  readonly statement: string;
}

/** The newest version and the place of problems; place undefined when only exclusions are known. */
export async function loadVersions(
  sql: Sql,
  problemIds: readonly string[],
): Promise<Map<string, { readonly version: number; readonly place: Place | undefined }>> {
  const rows = await sql.query<{
    problem_id: string;
    version: number;
    identity_sha256: string | null;
    statement_sha256: string | null;
  }>('SELECT problem_id, version, identity_sha256, statement_sha256 FROM problems WHERE problem_id = ANY($1)', [
    [...new Set(problemIds)],
  ]);
  return new Map(
    rows.map(({ problem_id, version, identity_sha256: identity, statement_sha256: statement }) => {
      const place = identity === null || statement === null ? undefined : { identity, statement };
      return [problem_id, { version, place }];
    }),
  );
}

/** Stores problems in the place of their former versions; what others said against them stays. */
export async function saveProblems(
  sql: Sql,
  problems: readonly CheckedProblem[],
  checked: CheckedBenchmarks,
): Promise<void> {
  const rows = [...problems].sort((a, b) => (a.problemId < b.problemId ? -1 : 1));
  await sql.query(
    `INSERT INTO problems (problem_id, version, identity_sha256, statement_sha256, published_ms, normalized, grams,
       contaminated_by, contaminated_item, similarity, checked_epoch, checked_benchmarks)
     SELECT problem_id, version, identity, statement, published_ms, normalized, grams::bigint[], benchmark, item,
       similarity, $11, $12
     FROM unnest($1::text[], $2::int[], $3::text[], $4::text[], $5::bigint[], $6::bytea[], $7::text[], $8::text[],
       $9::text[], $10::float8[])
       AS n (problem_id, version, identity, statement, published_ms, normalized, grams, benchmark, item, similarity)
     ON CONFLICT (problem_id) DO UPDATE SET version = excluded.version, identity_sha256 = excluded.identity_sha256,
       statement_sha256 = excluded.statement_sha256, published_ms = excluded.published_ms,
       normalized = excluded.normalized, grams = excluded.grams, contaminated_by = excluded.contaminated_by,
       contaminated_item = excluded.contaminated_item, similarity = excluded.similarity,
       checked_epoch = excluded.checked_epoch, checked_benchmarks = excluded.checked_benchmarks, said = ''`,
    [
      rows.map((row) => row.problemId),
      rows.map((row) => row.version),
      rows.map((row) => row.identitySha256),
      rows.map((row) => row.statementSha256),
      rows.map((row) => row.publishedMs ?? null),
      rows.map((row) => Buffer.from(row.normalized)),
      rows.map((row) => `{${[...row.grams].join(',')}}`),
      rows.map((row) => row.contamination?.benchmark ?? null),
      rows.map((row) => row.contamination?.itemId ?? null),
      rows.map((row) => row.contamination?.similarity ?? null),
      String(checked.epoch),
      JSON.stringify(checked.versions),
    ],
  );
}

/** Problems that were checked before the benchmarks' present epoch. */
export async function loadUnchecked(
  sql: Sql,
  epoch: bigint,
  limit: number,
): Promise<({ problemId: string } & Place)[]> {
  const rows = await sql.query<{ problem_id: string; identity_sha256: string; statement_sha256: string }>(
    `SELECT problem_id, identity_sha256, statement_sha256 FROM problems WHERE identity_sha256 IS NOT NULL AND checked_epoch < $1
     ORDER BY checked_epoch, problem_id LIMIT $2`,
    [String(epoch), limit],
  );
  return rows.map((row) => ({
    problemId: row.problem_id,
    identity: row.identity_sha256,
    statement: row.statement_sha256,
  }));
}

export async function countUnchecked(sql: Sql): Promise<number> {
  const [row] = await sql.query<{ count: bigint }>(
    `SELECT count(*) AS count FROM problems, benchmark_epoch
     WHERE identity_sha256 IS NOT NULL AND checked_epoch < benchmark_epoch.epoch`,
  );
  return Number(row?.count ?? 0);
}

export async function loadGrams(sql: Sql, problemIds: readonly string[]): Promise<Map<string, Grams>> {
  const rows = await sql.query<{ problem_id: string; grams: string[] }>(
    'SELECT problem_id, grams::text[] AS grams FROM problems WHERE problem_id = ANY($1)',
    [problemIds],
  );
  return new Map(rows.map((row) => [row.problem_id, new Set(row.grams.map(BigInt))]));
}

export async function saveContamination(
  sql: Sql,
  found: ReadonlyMap<string, Overlap | undefined>,
  checked: CheckedBenchmarks,
): Promise<void> {
  const rows = [...found];
  await sql.query(
    `UPDATE problems SET contaminated_by = c.benchmark, contaminated_item = c.item, similarity = c.similarity,
       checked_epoch = $5, checked_benchmarks = $6
     FROM unnest($1::text[], $2::text[], $3::text[], $4::float8[]) AS c (problem_id, benchmark, item, similarity)
     WHERE problems.problem_id = c.problem_id`,
    [
      rows.map(([id]) => id),
      rows.map(([, one]) => one?.benchmark ?? null),
      rows.map(([, one]) => one?.itemId ?? null),
      rows.map(([, one]) => one?.similarity ?? null),
      String(checked.epoch),
      JSON.stringify(checked.versions),
    ],
  );
}

/** What another stage says against a version of a problem and those before it; version 0 takes it back. */
export interface Exclusion {
  readonly problemId: string;
  /** Stage and kind, for example `EXECUTE rejected`: the newest word of each source counts. */
  readonly source: string;
  readonly version: number;
}

/**
 * Stores exclusions, also of problems that have not come yet.
 *
 * @returns ids of the problems for which something changed
 */
export async function saveExclusions(sql: Sql, exclusions: readonly Exclusion[]): Promise<string[]> {
  const byProblem = Map.groupBy(exclusions, (one) => one.problemId);
  const rows = [...byProblem].sort(([a], [b]) => (a < b ? -1 : 1));
  const changed = await sql.query<{ problem_id: string }>(
    `INSERT INTO problems (problem_id, exclusions)
     SELECT problem_id, exclusions::jsonb FROM unnest($1::text[], $2::text[]) AS e (problem_id, exclusions)
     ON CONFLICT (problem_id) DO UPDATE SET exclusions = problems.exclusions || excluded.exclusions
     WHERE NOT problems.exclusions @> excluded.exclusions
     RETURNING problem_id`,
    [
      rows.map(([id]) => id),
      rows.map(([, all]) => JSON.stringify(Object.fromEntries(all.map((one) => [one.source, one.version])))),
    ],
  );
  return changed.map((row) => row.problem_id);
}

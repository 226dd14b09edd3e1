import { type BenchmarkMatch, DEFAULT_THRESHOLD, type Grams } from '@tidemark/contamination';
import type { Sql } from '@tidemark/stage-runtime';

/** Any number that no other lock of this schema uses. */
const BENCHMARK_LOCK = `hashtextextended('tidemark dedup benchmarks ' || current_schema(), 0)`;

/** Benchmarks stay as they are until the transaction ends. */
export async function holdBenchmarks(sql: Sql): Promise<void> {
  await sql.query(`SELECT pg_advisory_xact_lock_shared(${BENCHMARK_LOCK})`);
}

/** Nobody checks against benchmarks until the transaction ends. */
export async function lockBenchmarks(sql: Sql): Promise<void> {
  await sql.query(`SELECT pg_advisory_xact_lock(${BENCHMARK_LOCK})`);
}

/** What a problem is checked against while the benchmarks are held. */
export interface CheckedBenchmarks {
  /** Rises with every change of a benchmark. */
  readonly epoch: bigint;
  /** Versions of the benchmarks in force, by name. */
  readonly versions: Readonly<Record<string, number>>;
}

/** The benchmarks as they stand; {@link holdBenchmarks} first, so that they do when what was found is stored. */
export async function loadBenchmarks(sql: Sql): Promise<CheckedBenchmarks> {
  const [row] = await sql.query<{ epoch: bigint; versions: Record<string, number> | null }>(
    `SELECT epoch, (SELECT jsonb_object_agg(benchmark, version) FROM benchmarks WHERE NOT removed) AS versions
     FROM benchmark_epoch`,
  );
  return { epoch: BigInt(row?.epoch ?? 0), versions: row?.versions ?? {} };
}

/** Benchmark problems that share grams with the given problems, by problem id. */
export async function findMatches(
  sql: Sql,
  problems: ReadonlyMap<string, Grams>,
): Promise<Map<string, BenchmarkMatch[]>> {
  const ids: string[] = [];
  const grams: string[] = [];
  for (const [id, own] of problems) {
    for (const gram of own) {
      ids.push(id);
      grams.push(String(gram));
    }
  }
  const rows = await sql.query<{
    problem_id: string;
    benchmark: string;
    item_id: string;
    gram_count: number;
    shared: bigint;
    threshold: number;
  }>(
    `SELECT m.*, i.gram_count, b.threshold FROM (
       SELECT p.problem_id, g.benchmark, g.item_id, count(*) AS shared
       FROM unnest($1::text[], $2::bigint[]) AS p (problem_id, gram) JOIN benchmark_grams g USING (gram)
       GROUP BY 1, 2, 3
     ) m JOIN benchmark_items i USING (benchmark, item_id) JOIN benchmarks b USING (benchmark)`,
    [ids, grams],
  );
  const matches = rows.map((row) => ({
    problemId: row.problem_id,
    benchmark: row.benchmark,
    itemId: row.item_id,
    itemGrams: row.gram_count,
    shared: Number(row.shared),
    threshold: row.threshold,
  }));
  return Map.groupBy(matches, (match) => match.problemId);
}

export interface BenchmarkItem {
  readonly itemId: string;
  readonly grams: Grams;
}

/**
 * Puts a benchmark's version in the place of what was there; without items it is removed. A version that is not newer
 * changes nothing.
 *
 * @param threshold 0 for the default
 */
export async function replaceBenchmark(
  sql: Sql,
  benchmark: string,
  version: number,
  threshold: number,
  items: readonly BenchmarkItem[] | undefined,
): Promise<void> {
  const changed = await sql.query(
    `INSERT INTO benchmarks (benchmark, version, threshold, removed) VALUES ($1, $2, $3, $4)
     ON CONFLICT (benchmark) DO UPDATE SET version = excluded.version, threshold = excluded.threshold, removed = excluded.removed
     WHERE benchmarks.version < excluded.version
     RETURNING benchmark`,
    [benchmark, version, threshold === 0 ? DEFAULT_THRESHOLD : threshold, items === undefined],
  );
  if (changed.length === 0) return;
  await sql.query('DELETE FROM benchmark_grams WHERE benchmark = $1', [benchmark]);
  await sql.query('DELETE FROM benchmark_items WHERE benchmark = $1', [benchmark]);
  for (const item of items ?? []) {
    await sql.query('INSERT INTO benchmark_items (benchmark, item_id, gram_count) VALUES ($1, $2, $3)', [
      benchmark,
      item.itemId,
      item.grams.size,
    ]);
    await sql.query(
      'INSERT INTO benchmark_grams (gram, benchmark, item_id) SELECT gram, $2, $3 FROM unnest($1::bigint[]) AS gram',
      [[...item.grams].map(String), benchmark, item.itemId],
    );
  }
  await sql.query('UPDATE benchmark_epoch SET epoch = epoch + 1');
}

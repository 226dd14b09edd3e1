import type { MigrationInterface, QueryRunner } from 'typeorm';

export class DedupTables1764503000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE clusters (
        identity_sha256 text PRIMARY KEY,
        split text CHECK (split IN ('train', 'held_out'))
      );
      COMMENT ON TABLE clusters IS 'One row an identity. Whoever changes a problem of the cluster holds its lock';
      COMMENT ON COLUMN clusters.split IS 'Fixed when first published; null before that';

      CREATE TABLE problems (
        problem_id text PRIMARY KEY,
        version integer NOT NULL DEFAULT 0,
        identity_sha256 text,
        statement_sha256 text,
        published_ms bigint,
        normalized bytea,
        grams bigint[] NOT NULL DEFAULT '{}',
        checked_epoch bigint NOT NULL DEFAULT 0,
        contaminated_by text,
        contaminated_item text,
        similarity double precision,
        exclusions jsonb NOT NULL DEFAULT '{}',
        seen_as_train boolean NOT NULL DEFAULT false,
        unique_version integer NOT NULL DEFAULT 0,
        withdrawn_version integer NOT NULL DEFAULT 0,
        said text NOT NULL DEFAULT ''
      );
      CREATE INDEX problems_by_identity ON problems (identity_sha256);
      CREATE INDEX problems_by_statement ON problems (statement_sha256);
      CREATE INDEX problems_by_epoch ON problems (checked_epoch) WHERE identity_sha256 IS NOT NULL;
      COMMENT ON COLUMN problems.version IS '0: only exclusions are known, the problem itself has not come';
      COMMENT ON COLUMN problems.published_ms IS 'When the source published it, in ms since 1970; null when unknown';
      COMMENT ON COLUMN problems.normalized IS 'ProblemNormalized';
      COMMENT ON COLUMN problems.exclusions IS 'Highest version that another stage rejected or withdrew, by what it said';
      COMMENT ON COLUMN problems.seen_as_train IS 'Some version of it was published as train';
      COMMENT ON COLUMN problems.unique_version IS 'Version of its record on problems.unique; 0 when it has none';
      COMMENT ON COLUMN problems.withdrawn_version IS 'Version up to which dedup withdraws it; 0 when it does not';
      COMMENT ON COLUMN problems.said IS 'What dedup said of it last, to say it once';

      CREATE TABLE benchmark_epoch (one boolean PRIMARY KEY DEFAULT true CHECK (one), epoch bigint NOT NULL);
      INSERT INTO benchmark_epoch (epoch) VALUES (0);
      COMMENT ON TABLE benchmark_epoch IS 'Rises with every change of a benchmark; problems checked before it are checked again';

      CREATE TABLE benchmarks (
        benchmark text PRIMARY KEY,
        version integer NOT NULL,
        threshold double precision NOT NULL,
        removed boolean NOT NULL
      );
      CREATE TABLE benchmark_items (
        benchmark text NOT NULL,
        item_id text NOT NULL,
        gram_count integer NOT NULL,
        PRIMARY KEY (benchmark, item_id)
      );
      CREATE TABLE benchmark_grams (gram bigint NOT NULL, benchmark text NOT NULL, item_id text NOT NULL);
      CREATE INDEX benchmark_grams_by_gram ON benchmark_grams (gram);
      CREATE INDEX benchmark_grams_by_benchmark ON benchmark_grams (benchmark);
    `);
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward: expand, then contract');
  }
}

/** Clusters of one statement are decided together: their sides, and what they say of each other. */
export class DedupStatements1764534000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE statements (
        statement_sha256 text PRIMARY KEY,
        split text CHECK (split IN ('train', 'held_out')),
        heads jsonb
      );
      COMMENT ON TABLE statements IS 'One row a statement. Whoever changes a problem with it holds its lock, before the clusters';
      COMMENT ON COLUMN statements.split IS 'Fixed when first published, train wins; null before that';
      COMMENT ON COLUMN statements.heads IS 'The clusters that records and statuses name as having an equal statement';
      INSERT INTO statements (statement_sha256, split)
        SELECT p.statement_sha256,
          CASE WHEN bool_or(p.seen_as_train OR c.split = 'train') THEN 'train' ELSE min(c.split) END
        FROM problems p LEFT JOIN clusters c USING (identity_sha256)
        WHERE p.statement_sha256 IS NOT NULL GROUP BY 1;

      ALTER TABLE problems ADD COLUMN checked_benchmarks jsonb NOT NULL DEFAULT '{}';
      COMMENT ON COLUMN problems.checked_benchmarks IS 'Versions of the benchmarks that it was checked against, by name';
      UPDATE problems SET checked_benchmarks = b.versions
        FROM (SELECT jsonb_object_agg(benchmark, version) AS versions FROM benchmarks WHERE NOT removed) b, benchmark_epoch e
        WHERE problems.checked_epoch = e.epoch AND b.versions IS NOT NULL;
    `);
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward: expand, then contract');
  }
}

export const migrations = [DedupTables1764503000000, DedupStatements1764534000000];

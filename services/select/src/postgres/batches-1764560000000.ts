import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Batches as they were given out. */
export class Batches1764560000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE batches (
        target text NOT NULL,
        batch bigint NOT NULL,
        seed bigint NOT NULL,
        content bytea NOT NULL,
        blobs text[] NOT NULL,
        given_at timestamptz NOT NULL DEFAULT clock_timestamp(),
        PRIMARY KEY (target, batch)
      );
      CREATE INDEX batches_by_age ON batches (given_at);
      COMMENT ON COLUMN batches.content IS 'NextBatchResponse, zstd';
      COMMENT ON COLUMN batches.blobs IS 'Hashes of the blobs that the content names';
    `);
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward: expand, then contract');
  }
}

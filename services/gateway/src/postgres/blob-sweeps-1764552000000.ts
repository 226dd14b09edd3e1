import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Blobs that nothing names, since when; and when they were looked for last. */
export class BlobSweeps1764552000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE unnamed_blob (sha256 bytea PRIMARY KEY, since timestamptz NOT NULL);
      COMMENT ON TABLE unnamed_blob IS 'Blobs that a sweep found no name of; the next one that finds none either removes them. In bytes: as text it would be such a name itself';
      CREATE TABLE blob_sweep (
        only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
        begun_at timestamptz NOT NULL DEFAULT now()
      );
      INSERT INTO blob_sweep DEFAULT VALUES;
      COMMENT ON COLUMN blob_sweep.begun_at IS 'When blobs were swept last by the clock; at first, when the table was made';
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE unnamed_blob, blob_sweep');
  }
}

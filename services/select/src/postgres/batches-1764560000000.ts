import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Batches can be asked for again, as they were given out. */
export class Batches1764560000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE batches (
        target text NOT NULL,
        batch bigint NOT NULL,
        seed bigint NOT NULL,
        given_at timestamptz NOT NULL DEFAULT clock_timestamp(),
        PRIMARY KEY (target, batch)
      );
      CREATE INDEX batches_by_age ON batches (given_at);
      ALTER TABLE problem_leases ADD COLUMN content bytea;
      CREATE INDEX problem_leases_by_batch ON problem_leases (target, batch);
      COMMENT ON COLUMN problem_leases.content IS 'CuratedProblem as it was given out';
    `);
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward: expand, then contract');
  }
}

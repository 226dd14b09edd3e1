import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateSuspicions1764530000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE suspicions (
        job_kind text NOT NULL,
        job_key text NOT NULL,
        program text NOT NULL,
        occasions integer NOT NULL DEFAULT 1,
        detail text NOT NULL,
        noted_at timestamptz NOT NULL DEFAULT clock_timestamp(),
        PRIMARY KEY (job_kind, job_key, program)
      );
      COMMENT ON TABLE suspicions IS 'Programs of open jobs that broke a sandbox in which a known-good program passed';
      COMMENT ON COLUMN suspicions.occasions IS 'failures apart in time';
    `);
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward: expand, then contract');
  }
}

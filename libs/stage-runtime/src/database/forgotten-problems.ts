import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Problems that this service was told to forget: by hash alone, so that what is old does not bring them back. */
export class ForgottenProblems1700000600000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE forgotten_problems (
        problem_hash text PRIMARY KEY,
        forgotten_at timestamptz NOT NULL DEFAULT now(),
        passes jsonb
      );
      COMMENT ON COLUMN forgotten_problems.passes IS
        'By topic the incarnation and the offsets from which records about it pass again; null: none passes';
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE forgotten_problems');
  }
}

import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The dependency that a job waits for. Replicas of before leave it as it is. */
export class JobWaits1700000200000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE jobs ADD COLUMN waits_for text');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE jobs DROP COLUMN waits_for');
  }
}

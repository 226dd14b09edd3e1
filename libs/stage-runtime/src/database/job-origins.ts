import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The record that a job works on, a `ConsumedRecord`. Jobs that replicas of before add have none. */
export class JobOrigins1700000400000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE jobs ADD COLUMN origin bytea');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE jobs DROP COLUMN origin');
  }
}

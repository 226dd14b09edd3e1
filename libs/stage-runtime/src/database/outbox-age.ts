import type { MigrationInterface, QueryRunner } from 'typeorm';

/** When an event was committed, so that the age of the outbox can be told. Replicas of before it write as they did. */
export class OutboxAge1700000100000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE outbox ADD COLUMN created_at timestamptz NOT NULL DEFAULT now()');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE outbox DROP COLUMN created_at');
  }
}

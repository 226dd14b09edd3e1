import type { MigrationInterface, QueryRunner } from 'typeorm';

/** When somebody last looked whether a followed topic has news. Replicas of before leave it as it is. */
export class FollowedLooks1764548000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE followed ADD COLUMN looked_at timestamptz NOT NULL DEFAULT clock_timestamp()');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE followed DROP COLUMN looked_at');
  }
}

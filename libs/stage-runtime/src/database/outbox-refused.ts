import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Why the log refuses a row for good. Such a row stays for people to look at, and holds up no other. */
export class OutboxRefused1700000300000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE outbox ADD COLUMN refused text');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE outbox DROP COLUMN refused');
  }
}

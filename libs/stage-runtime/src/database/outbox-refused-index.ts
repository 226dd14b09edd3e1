import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Finds the few rows that the log refused among the many that wait. */
export class OutboxRefusedIndex1700000500000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE INDEX outbox_refused ON outbox (shard, id) WHERE refused IS NOT NULL');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX outbox_refused');
  }
}

import type { MigrationInterface, QueryRunner } from 'typeorm';

/** When a change was noted, and the trace by which a problem came. Replicas of before write as they did. */
export class AddAges1764530000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE marks ADD COLUMN marked_at timestamptz NOT NULL DEFAULT now()');
    await runner.query('ALTER TABLE problems ADD COLUMN traceparent text');
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward: expand, then contract');
  }
}

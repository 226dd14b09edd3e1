import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What became of each dead letter: open, replayed, dropped, or expired with its topic's retention. */
export class DeadLetterStates1764530000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE dead_letter
        ADD COLUMN event_id text NOT NULL DEFAULT '',
        ADD COLUMN replays integer NOT NULL DEFAULT 0,
        ADD COLUMN state text NOT NULL DEFAULT 'open',
        ADD COLUMN decided_by text,
        ADD COLUMN decided_at timestamptz;
      CREATE INDEX dead_letter_open ON dead_letter (dlq_topic, dlq_partition, dlq_offset) WHERE state = 'open';
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP INDEX dead_letter_open;
      ALTER TABLE dead_letter DROP COLUMN event_id, DROP COLUMN replays, DROP COLUMN state, DROP COLUMN decided_by,
        DROP COLUMN decided_at;
    `);
  }
}

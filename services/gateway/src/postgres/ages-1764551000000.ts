import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What goes after a while is found by its age. */
export class Ages1764551000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE refusal ADD COLUMN refused_at timestamptz NOT NULL DEFAULT now();
      CREATE INDEX refusal_by_age ON refusal (refused_at);
      CREATE INDEX upload_by_age ON upload (last_at);
      CREATE INDEX upload_name_by_upload ON upload_name (upload_id);
      CREATE INDEX graded_group_by_age ON graded_group USING brin (graded_at);
      CREATE INDEX command_by_age ON command (requested_at);
      CREATE INDEX evaluation_by_age ON evaluation (evaluated_at);
      CREATE INDEX bin_move_by_age ON bin_move (moved_at);
      CREATE INDEX dead_letter_by_age ON dead_letter (dead_lettered_at) WHERE state <> 'open';
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP INDEX refusal_by_age, upload_by_age, upload_name_by_upload, graded_group_by_age, command_by_age,
        evaluation_by_age, bin_move_by_age, dead_letter_by_age;
      ALTER TABLE refusal DROP COLUMN refused_at;
    `);
  }
}

import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A group is its submitter's, of one problem; what was counted of it without a named suite can be taken away again. */
export class IdentifyGroups1764541000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE counted_group
        ADD COLUMN problem_id text NOT NULL DEFAULT '',
        ADD COLUMN submitter text NOT NULL DEFAULT '',
        ADD COLUMN unnamed jsonb,
        DROP CONSTRAINT counted_group_pkey,
        ADD PRIMARY KEY (target, problem_id, group_id, submitter, suite_hash)`);
    await runner.query(`
      COMMENT ON COLUMN counted_group.unnamed IS
        'Of a group graded under no named suite, while it counts: its bucket and counts'`);
  }

  async down(): Promise<void> {
    throw new Error('evidence is never dropped by a migration');
  }
}

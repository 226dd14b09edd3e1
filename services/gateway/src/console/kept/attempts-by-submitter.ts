import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A group is known by its submitter too: two submitters may give theirs the same id. */
export class AttemptsBySubmitter1764550000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE kept_attempts DROP CONSTRAINT kept_attempts_pkey,
        ADD PRIMARY KEY (target, problem_id, group_id, submitter, suite_hash);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE kept_attempts DROP CONSTRAINT kept_attempts_pkey;
      DELETE FROM kept_attempts;
      ALTER TABLE kept_attempts ADD PRIMARY KEY (target, problem_id, group_id, suite_hash);
    `);
  }
}

import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What a model was shown when it answered: answers outlive a new version of their problem or target. */
export class AddAnswerVersions1764542000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE answer
        ADD COLUMN problem_version int NOT NULL DEFAULT 0,
        ADD COLUMN target_version int NOT NULL DEFAULT 0`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE answer DROP COLUMN problem_version, DROP COLUMN target_version');
  }
}

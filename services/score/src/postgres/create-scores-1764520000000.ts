import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The newest prediction of each problem. */
export class CreateScores1764520000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE score (
        problem_id text PRIMARY KEY,
        version int NOT NULL,
        suite_hash text NOT NULL,
        score float8 NOT NULL,
        predictor text NOT NULL,
        predictor_version text NOT NULL)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE score');
  }
}

import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Which suites run in the process of the program that they judge. */
export class SharedProcesses1764562000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE problem_verified ADD COLUMN shares_process boolean NOT NULL DEFAULT false');
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward: expand, then contract');
  }
}

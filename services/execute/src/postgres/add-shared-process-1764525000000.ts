import type { MigrationInterface, QueryRunner } from 'typeorm';

export class AddSharedProcess1764525000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE suites ADD COLUMN together boolean NOT NULL DEFAULT false;
      COMMENT ON COLUMN suites.together IS 'assertions need the program in their own process: no reference passes apart';
    `);
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward: expand, then contract');
  }
}

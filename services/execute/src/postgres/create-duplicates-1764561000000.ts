import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Exact duplicates by dedup's word. */
export class CreateDuplicates1764561000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE duplicates (
        problem_id text PRIMARY KEY,
        version integer NOT NULL,
        duplicate_of text NOT NULL)`);
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward: expand, then contract');
  }
}

import type { MigrationInterface, QueryRunner } from 'typeorm';

export class AddMissingLanguages1764535000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE problems ADD COLUMN waits_for text[] NOT NULL DEFAULT '{}';
      COMMENT ON COLUMN problems.waits_for IS 'languages, any of which would let it be verified; empty: it does not wait for one';
      CREATE INDEX problems_by_missing_language ON problems USING gin (waits_for) WHERE waits_for <> '{}';

      ALTER TABLE parked_groups ADD COLUMN language text;
      COMMENT ON COLUMN parked_groups.language IS 'it waits for a replica that has this language, and for nothing else; null: for problem or target';
      CREATE INDEX parked_groups_by_language ON parked_groups (language) WHERE language IS NOT NULL;
    `);
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward: expand, then contract');
  }
}

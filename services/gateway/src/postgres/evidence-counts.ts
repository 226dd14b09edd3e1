import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Totals count as calibrate does: truncated attempts fail, and exams, canaries and refused groups are no part of them. */
export class EvidenceCounts1764544000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE graded_group
        ADD COLUMN truncated integer NOT NULL DEFAULT 0,
        ADD COLUMN counted boolean NOT NULL DEFAULT true,
        ADD COLUMN refused boolean NOT NULL DEFAULT false;
      COMMENT ON COLUMN graded_group.counted IS 'It is in its target''s totals: each group once, as it was graded first';
      COMMENT ON COLUMN graded_group.refused IS 'Calibrate laid it aside: it is in no count';
      ALTER TABLE verdict_count ADD COLUMN truncated bigint NOT NULL DEFAULT 0;
      COMMENT ON COLUMN verdict_count.truncated IS 'Attempts that the token limit cut: none of them passed';
      ALTER TABLE target_count ADD COLUMN truncated bigint NOT NULL DEFAULT 0;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE graded_group DROP COLUMN truncated, DROP COLUMN counted, DROP COLUMN refused;
      ALTER TABLE verdict_count DROP COLUMN truncated;
      ALTER TABLE target_count DROP COLUMN truncated;
    `);
  }
}

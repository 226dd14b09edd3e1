import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Key, headers and place of the record that a row was made of, beside its value; rows of replicas of before have none. */
export class KeepOrigins1764545000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE parked_groups ADD COLUMN origin bytea;
      ALTER TABLE problems ADD COLUMN origin bytea;
      COMMENT ON COLUMN parked_groups.origin IS 'ConsumedRecord without the value, which is submitted_event';
      COMMENT ON COLUMN problems.origin IS 'ConsumedRecord without the value, which is unique_event';
    `);
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward: expand, then contract');
  }
}

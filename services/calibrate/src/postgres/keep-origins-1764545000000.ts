import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Key, headers and place of a parked group's record; those that replicas of before park have none. */
export class KeepOrigins1764545000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE parked_group ADD COLUMN origin bytea;
      COMMENT ON COLUMN parked_group.origin IS 'ConsumedRecord without the value, which is message';
    `);
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward: expand, then contract');
  }
}

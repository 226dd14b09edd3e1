import { withholdingTables } from '@tidemark/stage-runtime';
import type { MigrationInterface, QueryRunner } from 'typeorm';

export class NormalizeTables1764502000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE problems (
        problem_id text PRIMARY KEY,
        version integer NOT NULL,
        passed_version integer NOT NULL
      );
      COMMENT ON COLUMN problems.version IS 'Newest version that was handled; lower ones are ignored';
      COMMENT ON COLUMN problems.passed_version IS 'Newest version that went on; 0 when none did';
    `);
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward: expand, then contract');
  }
}

/** A row whose newest version did not go on although one before it had was withdrawn up to that version. */
export class NormalizeWithdrawals1764534100000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE problems ADD COLUMN withdrawn_version integer NOT NULL DEFAULT 0;
      COMMENT ON COLUMN problems.withdrawn_version IS 'Version up to which normalize withdraws it; 0 when it does not';
      UPDATE problems SET withdrawn_version = version WHERE passed_version > 0 AND passed_version < version;
    `);
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward: expand, then contract');
  }
}

export class NormalizeWithholding1764544000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(withholdingTables);
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward: expand, then contract');
  }
}

export const migrations = [
  NormalizeTables1764502000000,
  NormalizeWithdrawals1764534100000,
  NormalizeWithholding1764544000000,
];

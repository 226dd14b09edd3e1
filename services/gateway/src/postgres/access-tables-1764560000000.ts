import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Access tokens, and what was ordered by whom. */
export class AccessTables1764560000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE token (
        token_id text PRIMARY KEY,
        secret_sha256 bytea NOT NULL UNIQUE,
        name text NOT NULL,
        roles text[] NOT NULL,
        targets text[] NOT NULL,
        trusted_to_grade boolean NOT NULL,
        created_by text NOT NULL,
        created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
        expires_at timestamptz,
        last_used_at timestamptz,
        revoked_by text,
        revoked_at timestamptz
      );
      CREATE TABLE audit (
        entry bigserial PRIMARY KEY,
        who text NOT NULL,
        token_id text,
        action text NOT NULL,
        subject jsonb NOT NULL,
        result text,
        requested_at timestamptz NOT NULL DEFAULT clock_timestamp(),
        completed_at timestamptz
      );
      COMMENT ON COLUMN audit.result IS 'Status of the answer; null until there is one';
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE token, audit');
  }
}

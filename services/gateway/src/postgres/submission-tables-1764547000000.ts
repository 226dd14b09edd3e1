import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What became of each line of an upload at the door, and under which names its file came. */
export class SubmissionTables1764547000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      -- Lines of named files, and every refused one. Sent again it is the same row.
      CREATE TABLE submission (
        upload_id text NOT NULL,
        line bigint NOT NULL,
        problem_id text,
        group_id text,
        target text,
        checkpoint text,
        faults jsonb,
        PRIMARY KEY (upload_id, line)
      );
      COMMENT ON COLUMN submission.faults IS 'Why it was refused; null where it was taken';
      CREATE TABLE upload_name (
        source_file text NOT NULL,
        upload_id text NOT NULL,
        PRIMARY KEY (source_file, upload_id)
      );
      INSERT INTO upload_name SELECT source_file, upload_id FROM upload WHERE source_file <> '';
      -- A record that is refused again, in the same file or in another, is one refused record.
      CREATE TABLE refusal (
        kind text NOT NULL,
        record_sha256 text NOT NULL,
        PRIMARY KEY (kind, record_sha256)
      );
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE submission, upload_name, refusal');
  }
}

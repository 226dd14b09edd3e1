import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateExecuteTables1764521000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE problems (
        problem_id text PRIMARY KEY,
        version integer NOT NULL,
        unique_event bytea NOT NULL,
        state text NOT NULL CHECK (state IN ('verifying', 'verified', 'rejected', 'waiting', 'removed')),
        verified_version integer NOT NULL DEFAULT 0
      );
      COMMENT ON COLUMN problems.unique_event IS 'ProblemUnique, newest; what verification reads';
      COMMENT ON COLUMN problems.state IS 'of the newest version';
      COMMENT ON COLUMN problems.verified_version IS 'in force: the newest that passed, 0 when none did';

      CREATE TABLE suites (
        problem_id text NOT NULL,
        version integer NOT NULL,
        suite_hash text NOT NULL,
        verified_event bytea NOT NULL,
        held_out boolean NOT NULL,
        PRIMARY KEY (problem_id, version)
      );
      COMMENT ON TABLE suites IS 'One row a verified version: what judges rollouts of it';
      COMMENT ON COLUMN suites.verified_event IS 'ProblemVerified as it was published';

      CREATE TABLE withdrawals (
        problem_id text NOT NULL,
        stage integer NOT NULL,
        version integer NOT NULL,
        PRIMARY KEY (problem_id, stage)
      );
      COMMENT ON COLUMN withdrawals.version IS 'highest version withdrawn; 0 when taken back';

      CREATE TABLE targets (
        target text NOT NULL,
        version integer NOT NULL,
        declared_event bytea NOT NULL,
        PRIMARY KEY (target, version)
      );
      COMMENT ON COLUMN targets.declared_event IS 'TargetDeclared: answer form and stop sequences are read';

      CREATE TABLE parked_groups (
        event_id text PRIMARY KEY,
        traceparent text,
        submitter text NOT NULL,
        target text NOT NULL,
        target_version integer NOT NULL,
        problem_id text NOT NULL,
        problem_version integer NOT NULL,
        submitted_event bytea NOT NULL,
        topic_partition integer NOT NULL,
        topic_offset bigint NOT NULL,
        appended_ms bigint NOT NULL,
        parked_at timestamptz NOT NULL DEFAULT now()
      );
      CREATE INDEX parked_groups_by_submitter ON parked_groups (submitter);
      CREATE INDEX parked_groups_by_problem ON parked_groups (problem_id);
      CREATE INDEX parked_groups_by_age ON parked_groups (parked_at);
      COMMENT ON COLUMN parked_groups.problem_version IS '0: the version in force';

      CREATE TABLE environment_failures (
        group_id text NOT NULL,
        attempt_index integer NOT NULL,
        problem_id text NOT NULL,
        verdict integer NOT NULL,
        detail text NOT NULL,
        failed_at timestamptz NOT NULL DEFAULT now(),
        PRIMARY KEY (group_id, attempt_index)
      );
      COMMENT ON TABLE environment_failures IS 'Attempts that the judge failed: they count for nothing';
    `);
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward: expand, then contract');
  }
}

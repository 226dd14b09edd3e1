import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What the gateway keeps to answer from: its own tables of the read model, and what it declares itself. */
export class ReadModelTables1764522000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      -- One row a problem: the one visible state, and where it came from.
      CREATE TABLE problem (
        problem_id text PRIMARY KEY,
        state text NOT NULL DEFAULT 'waiting',
        version integer NOT NULL DEFAULT 0,
        stage text NOT NULL DEFAULT 'ingest',
        reason text NOT NULL DEFAULT 'stage:ingest',
        held_out boolean NOT NULL DEFAULT false,
        incoming jsonb,
        title text NOT NULL DEFAULT '',
        namespace text NOT NULL DEFAULT '',
        record_id text NOT NULL DEFAULT '',
        origin jsonb,
        submitter text NOT NULL DEFAULT '',
        source_file text NOT NULL DEFAULT '',
        source_record bigint NOT NULL DEFAULT 0,
        changed_at timestamptz NOT NULL DEFAULT now()
      ) WITH (fillfactor = 80);
      CREATE INDEX problem_by_state ON problem (state, reason, problem_id);
      CREATE INDEX problem_by_source ON problem (namespace, problem_id);
      CREATE INDEX problem_by_file ON problem (source_file, source_record) WHERE source_file <> '';

      CREATE TABLE stage_status (
        problem_id text NOT NULL,
        stage smallint NOT NULL,
        version integer NOT NULL,
        outcome smallint NOT NULL,
        reason text NOT NULL,
        message text NOT NULL,
        evidence jsonb NOT NULL,
        decided_at timestamptz,
        PRIMARY KEY (problem_id, stage)
      );
      CREATE TABLE withdrawal (
        problem_id text NOT NULL,
        stage smallint NOT NULL,
        version integer NOT NULL,
        reason text NOT NULL,
        evidence jsonb NOT NULL,
        successor_id text NOT NULL,
        taken_back boolean NOT NULL,
        withdrawn_at timestamptz,
        PRIMARY KEY (problem_id, stage)
      );
      CREATE TABLE problem_normalized (
        problem_id text PRIMARY KEY,
        version integer NOT NULL,
        notes jsonb NOT NULL,
        statement_sha256 text NOT NULL,
        identity_sha256 text NOT NULL,
        content jsonb NOT NULL
      );
      CREATE TABLE problem_unique (
        problem_id text PRIMARY KEY,
        version integer NOT NULL,
        cluster_id text NOT NULL,
        founder_id text NOT NULL,
        split smallint NOT NULL,
        cluster_size integer NOT NULL,
        equal_statements jsonb NOT NULL,
        checked_benchmarks jsonb NOT NULL
      );
      CREATE TABLE problem_verified (
        problem_id text PRIMARY KEY,
        version integer NOT NULL,
        split smallint NOT NULL,
        suite_hash text NOT NULL,
        test_count integer NOT NULL,
        judge_version text NOT NULL,
        reference_runs jsonb NOT NULL
      );
      CREATE TABLE problem_scored (
        problem_id text PRIMARY KEY,
        version integer NOT NULL,
        suite_hash text NOT NULL,
        score double precision NOT NULL,
        dimensions jsonb,
        features jsonb NOT NULL,
        predictor jsonb,
        assessments integer NOT NULL
      );
      CREATE TABLE suite_change (
        problem_id text PRIMARY KEY,
        version integer NOT NULL,
        old_suite_hash text NOT NULL,
        new_suite_hash text NOT NULL,
        reason text NOT NULL,
        changed_at timestamptz
      );
      CREATE TABLE dead_letter (
        dlq_topic text NOT NULL,
        dlq_partition integer NOT NULL,
        dlq_offset bigint NOT NULL,
        topic text NOT NULL,
        service text NOT NULL,
        problem_id text,
        version integer,
        source_file text,
        source_record bigint,
        error_code text NOT NULL,
        error_message text NOT NULL,
        attempts integer NOT NULL,
        dead_lettered_at timestamptz,
        PRIMARY KEY (dlq_topic, dlq_partition, dlq_offset)
      );
      CREATE INDEX dead_letter_by_problem ON dead_letter (problem_id) WHERE problem_id IS NOT NULL;
      CREATE INDEX dead_letter_by_file ON dead_letter (source_file, source_record) WHERE source_file IS NOT NULL;
      CREATE TABLE review (
        review_id text PRIMARY KEY,
        problem_id text NOT NULL,
        version integer NOT NULL,
        stage smallint NOT NULL,
        reason text NOT NULL,
        evidence jsonb NOT NULL,
        requested_at timestamptz
      );
      CREATE INDEX review_by_problem ON review (problem_id);

      -- Targets: declared here.
      CREATE TABLE target (
        target text PRIMARY KEY,
        version integer NOT NULL,
        checkpoint text NOT NULL DEFAULT '',
        checkpoint_ordinal integer NOT NULL DEFAULT -1
      );
      CREATE TABLE target_version (
        target text NOT NULL,
        version integer NOT NULL,
        settings bytea NOT NULL,
        settings_hash text NOT NULL,
        declared_at timestamptz NOT NULL,
        PRIMARY KEY (target, version)
      );
      CREATE TABLE checkpoint (
        target text NOT NULL,
        checkpoint text NOT NULL,
        ordinal integer NOT NULL,
        target_version integer NOT NULL,
        advanced_at timestamptz NOT NULL,
        PRIMARY KEY (target, checkpoint),
        UNIQUE (target, ordinal)
      );

      -- What is known of problems per target.
      CREATE TABLE panel_member (
        target text NOT NULL,
        problem_id text NOT NULL,
        version integer NOT NULL,
        stratum integer NOT NULL,
        drawing integer NOT NULL,
        PRIMARY KEY (target, problem_id)
      );
      CREATE TABLE difficulty (
        target text NOT NULL,
        problem_id text NOT NULL,
        version integer NOT NULL,
        target_version integer NOT NULL,
        suite_hash text NOT NULL,
        alpha double precision NOT NULL,
        beta double precision NOT NULL,
        mean double precision NOT NULL,
        pass_interval jsonb,
        attempts integer NOT NULL,
        passes integer NOT NULL,
        truncated integer NOT NULL,
        environment_failures integer NOT NULL,
        bin smallint NOT NULL,
        previous_bin smallint NOT NULL,
        reason text NOT NULL,
        masses jsonb NOT NULL,
        evaluation bigint NOT NULL,
        calibration_version integer NOT NULL,
        checkpoint text NOT NULL,
        estimated_at timestamptz,
        PRIMARY KEY (target, problem_id)
      );
      CREATE INDEX difficulty_by_problem ON difficulty (problem_id);
      CREATE INDEX difficulty_by_bin ON difficulty (target, bin);
      CREATE TABLE bin_move (
        target text NOT NULL,
        evaluation bigint NOT NULL,
        problem_id text NOT NULL,
        from_bin smallint NOT NULL,
        to_bin smallint NOT NULL,
        reason text NOT NULL,
        moved_at timestamptz,
        PRIMARY KEY (target, evaluation, problem_id)
      );
      CREATE INDEX bin_move_by_problem ON bin_move (problem_id, target);
      CREATE TABLE evaluation (
        target text NOT NULL,
        number bigint NOT NULL,
        record jsonb NOT NULL,
        evaluated_at timestamptz,
        PRIMARY KEY (target, number)
      );
      CREATE TABLE calibration (
        target text NOT NULL,
        version integer NOT NULL,
        record jsonb NOT NULL,
        PRIMARY KEY (target, version)
      );
      CREATE TABLE heldout_evaluation (
        event_id text PRIMARY KEY,
        target text NOT NULL,
        record jsonb NOT NULL,
        evaluated_at timestamptz
      );
      CREATE TABLE graded_group (
        target text NOT NULL,
        problem_id text NOT NULL,
        group_id text NOT NULL,
        suite_hash text NOT NULL,
        version integer NOT NULL,
        target_version integer NOT NULL,
        checkpoint text NOT NULL,
        purpose smallint NOT NULL,
        submitter text NOT NULL,
        judge_version text NOT NULL,
        graded_by_submitter boolean NOT NULL,
        held_out boolean NOT NULL,
        lease_id text NOT NULL,
        verdicts jsonb NOT NULL,
        graded_at timestamptz,
        PRIMARY KEY (target, problem_id, group_id, suite_hash)
      );
      CREATE INDEX graded_group_by_problem ON graded_group (problem_id, target, graded_at DESC);
      -- Attempts by verdict: what is shown without reading groups one by one.
      CREATE TABLE verdict_count (
        target text NOT NULL,
        problem_id text NOT NULL,
        version integer NOT NULL,
        suite_hash text NOT NULL,
        checkpoint text NOT NULL,
        purpose smallint NOT NULL,
        verdict smallint NOT NULL,
        attempts bigint NOT NULL,
        PRIMARY KEY (target, problem_id, version, suite_hash, checkpoint, purpose, verdict)
      );
      CREATE TABLE target_count (
        target text PRIMARY KEY,
        groups bigint NOT NULL,
        attempts bigint NOT NULL,
        passes bigint NOT NULL,
        environment_failures bigint NOT NULL
      );
      CREATE TABLE curated (
        target text NOT NULL,
        problem_id text NOT NULL,
        revision bigint NOT NULL,
        bin smallint NOT NULL,
        predicted boolean NOT NULL,
        retest boolean NOT NULL,
        value double precision NOT NULL,
        message bytea NOT NULL,
        published_at timestamptz,
        PRIMARY KEY (target, problem_id)
      );
      CREATE INDEX curated_in_rank_order ON curated (target, value DESC, problem_id);
      CREATE INDEX curated_by_problem ON curated (problem_id);

      -- How far topics are read whose names are not fixed: curated.<target>.v1 and the dead letters.
      CREATE TABLE followed (
        topic text NOT NULL,
        partition integer NOT NULL,
        incarnation text NOT NULL,
        next bigint NOT NULL,
        PRIMARY KEY (topic, partition)
      );

      CREATE TABLE command (
        command_id text PRIMARY KEY,
        kind text NOT NULL,
        service text NOT NULL,
        target text NOT NULL,
        requested_by text NOT NULL,
        requested_at timestamptz NOT NULL,
        outcome smallint NOT NULL DEFAULT 0,
        message text NOT NULL DEFAULT '',
        results jsonb NOT NULL DEFAULT '{}',
        completed_at timestamptz
      );
      CREATE TABLE benchmark (
        benchmark text PRIMARY KEY,
        version integer NOT NULL,
        content_hash text NOT NULL,
        problem_count integer NOT NULL,
        threshold double precision NOT NULL,
        removed boolean NOT NULL,
        changed_at timestamptz NOT NULL
      );
      CREATE TABLE upload (
        upload_id text PRIMARY KEY,
        kind text NOT NULL,
        content_sha256 text NOT NULL,
        source_file text NOT NULL,
        submitter text NOT NULL,
        accepted bigint NOT NULL DEFAULT 0,
        refused bigint NOT NULL DEFAULT 0,
        times integer NOT NULL DEFAULT 0,
        first_at timestamptz NOT NULL DEFAULT now(),
        last_at timestamptz NOT NULL DEFAULT now()
      );
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP TABLE problem, stage_status, withdrawal, problem_normalized, problem_unique, problem_verified, problem_scored,
        suite_change, dead_letter, review, target, target_version, checkpoint, panel_member, difficulty, bin_move,
        evaluation, calibration, heldout_evaluation, graded_group, verdict_count, target_count, curated, followed,
        command, benchmark, upload;
    `);
  }
}

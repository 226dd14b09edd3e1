import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Evidence, what is known of problems and targets, and what evaluation points made of it. */
export class CreateEvidence1764500000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // Evidence. Counts add up: whichever replica consumes a group adds to its bucket.
    await runner.query(`
      CREATE TABLE bucket (
        target text NOT NULL,
        target_version int NOT NULL,
        problem_id text NOT NULL,
        problem_version int NOT NULL,
        suite_hash text NOT NULL,
        judge_version text NOT NULL,
        checkpoint text NOT NULL,
        purpose int NOT NULL,
        submitter text NOT NULL,
        prompt_hash text NOT NULL,
        window_hour int NOT NULL,
        groups bigint NOT NULL,
        attempts bigint NOT NULL,
        passes bigint NOT NULL,
        truncated bigint NOT NULL,
        environment bigint NOT NULL,
        PRIMARY KEY (target, problem_id, target_version, problem_version, suite_hash, judge_version, checkpoint, purpose,
                     submitter, prompt_hash, window_hour))`);
    // A regraded group counts once under each suite; one suite is in force at a time.
    await runner.query(`
      CREATE TABLE counted_group (
        target text NOT NULL,
        group_id text NOT NULL,
        suite_hash text NOT NULL,
        window_hour int NOT NULL,
        PRIMARY KEY (target, group_id, suite_hash))`);
    await runner.query('CREATE INDEX counted_group_window ON counted_group (window_hour)');
    await runner.query(`
      CREATE TABLE closed_window (
        only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
        before_hour int NOT NULL)`);
    await runner.query('INSERT INTO closed_window (before_hour) VALUES (0)');
    await runner.query(`
      CREATE TABLE parked_group (
        topic_partition int NOT NULL,
        log_offset bigint NOT NULL,
        event_id text PRIMARY KEY,
        target text NOT NULL,
        message bytea NOT NULL,
        reason text NOT NULL,
        parked_at timestamptz NOT NULL DEFAULT now())`);

    // What changed since the last evaluation: appended by whoever counts, removed by the evaluation that saw it.
    await runner.query(`
      CREATE TABLE unevaluated (
        id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        target text NOT NULL,
        problem_id text NOT NULL,
        counted_groups int NOT NULL,
        evidence_groups int NOT NULL,
        noted_at timestamptz NOT NULL DEFAULT now())`);
    await runner.query('CREATE INDEX unevaluated_target ON unevaluated (target)');
    await runner.query(`
      CREATE TABLE evaluation_request (
        id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        target text NOT NULL,
        trigger int NOT NULL,
        command_id text NOT NULL DEFAULT '',
        requested_at timestamptz NOT NULL DEFAULT now())`);

    await runner.query(`
      CREATE TABLE problem_version (
        problem_id text NOT NULL,
        version int NOT NULL,
        held_out boolean,
        verified boolean NOT NULL DEFAULT false,
        suite_hash text,
        next_suite_hash text,
        score double precision,
        PRIMARY KEY (problem_id, version))`);
    await runner.query(`
      CREATE TABLE withdrawal (
        problem_id text NOT NULL,
        stage text NOT NULL,
        version int NOT NULL,
        PRIMARY KEY (problem_id, stage))`);
    // Its two halves come from two topics, in any order.
    await runner.query(`
      CREATE TABLE regrade (
        command_id text PRIMARY KEY,
        problem_id text,
        done boolean,
        noted_at timestamptz NOT NULL DEFAULT now())`);

    await runner.query(`
      CREATE TABLE target (
        target text PRIMARY KEY,
        version int NOT NULL,
        evaluations bigint NOT NULL DEFAULT 0,
        counted_groups bigint NOT NULL DEFAULT 0)`);
    await runner.query(`
      CREATE TABLE target_version (
        target text NOT NULL,
        version int NOT NULL,
        group_size int NOT NULL,
        has_endpoint boolean NOT NULL,
        retention double precision NOT NULL,
        mastered double precision NOT NULL,
        easy double precision NOT NULL,
        medium double precision NOT NULL,
        enter double precision NOT NULL,
        unsolved_attempts int NOT NULL,
        PRIMARY KEY (target, version))`);
    await runner.query(`
      CREATE TABLE checkpoint (
        target text NOT NULL,
        checkpoint text NOT NULL,
        ordinal bigint NOT NULL,
        PRIMARY KEY (target, checkpoint))`);
    await runner.query(`
      CREATE TABLE calibration (
        target text NOT NULL,
        version int NOT NULL,
        target_version int NOT NULL,
        prior_alpha double precision NOT NULL,
        prior_beta double precision NOT NULL,
        PRIMARY KEY (target, version))`);
    await runner.query(`
      CREATE TABLE estimate (
        target text NOT NULL,
        problem_id text NOT NULL,
        target_version int NOT NULL,
        problem_version int NOT NULL,
        suite_hash text NOT NULL,
        alpha double precision NOT NULL,
        beta double precision NOT NULL,
        attempts bigint NOT NULL,
        passes bigint NOT NULL,
        truncated bigint NOT NULL,
        environment bigint NOT NULL,
        bin text NOT NULL,
        predicted boolean NOT NULL,
        PRIMARY KEY (target, problem_id))`);
    await runner.query(`
      CREATE TABLE measurement (
        command_id text PRIMARY KEY,
        target text NOT NULL,
        attempts int NOT NULL,
        after_problem text NOT NULL DEFAULT '',
        problems int NOT NULL DEFAULT 0,
        requests int NOT NULL DEFAULT 0,
        requested_at timestamptz NOT NULL DEFAULT now())`);
  }

  async down(): Promise<void> {
    throw new Error('evidence is never dropped by a migration');
  }
}

import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What the console shows beside the read model: texts, tests and attempts of problems, and how estimates went. */
export class ConsoleTables1764534000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      -- Newest texts of a problem: kind says which. The payload is a serialised Payload message; large bytes stay in the
      -- blob store.
      CREATE TABLE kept_text (
        problem_id text NOT NULL,
        kind text NOT NULL,
        version integer NOT NULL,
        payload bytea,
        details jsonb NOT NULL,
        PRIMARY KEY (problem_id, kind)
      );

      -- Attempts of the newest groups of each problem and target, one by one.
      CREATE TABLE kept_attempts (
        target text NOT NULL,
        problem_id text NOT NULL,
        group_id text NOT NULL,
        suite_hash text NOT NULL,
        version integer NOT NULL,
        checkpoint text NOT NULL,
        purpose smallint NOT NULL,
        submitter text NOT NULL,
        judge_version text NOT NULL,
        attempts jsonb NOT NULL,
        graded_at timestamptz,
        PRIMARY KEY (target, problem_id, group_id, suite_hash)
      );
      CREATE INDEX kept_attempts_newest ON kept_attempts (target, problem_id, graded_at DESC NULLS LAST);

      -- Estimates as they followed each other, the newest of each problem and target.
      CREATE TABLE difficulty_point (
        target text NOT NULL,
        problem_id text NOT NULL,
        evaluation bigint NOT NULL,
        alpha double precision NOT NULL,
        beta double precision NOT NULL,
        mean double precision NOT NULL,
        pass_interval jsonb,
        attempts integer NOT NULL,
        passes integer NOT NULL,
        bin smallint NOT NULL,
        reason text NOT NULL,
        checkpoint text NOT NULL,
        estimated_at timestamptz,
        PRIMARY KEY (target, problem_id, evaluation)
      );

      -- Members of a cluster are found by whom their rejection names.
      CREATE INDEX stage_status_by_evidence ON stage_status USING gin (evidence jsonb_path_ops) WHERE reason <> '';
      CREATE INDEX problem_unique_by_cluster ON problem_unique (cluster_id);
      CREATE INDEX bin_move_newest ON bin_move (target, evaluation DESC, problem_id);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP INDEX stage_status_by_evidence, problem_unique_by_cluster, bin_move_newest;
      DROP TABLE kept_text, kept_attempts, difficulty_point;
    `);
  }
}

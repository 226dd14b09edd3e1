import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What is known of problems and targets, the requests, and the answers that came so far. */
export class CreateRequests1764520000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE target (
        target text NOT NULL,
        version int NOT NULL,
        declaration bytea NOT NULL,
        PRIMARY KEY (target, version))`);
    // What a prompt is made of. Tests and solutions are not here: what is not kept can't be shown.
    await runner.query(`
      CREATE TABLE problem (
        problem_id text PRIMARY KEY,
        version int NOT NULL,
        statement bytea NOT NULL,
        starter_code text NOT NULL,
        entry_point text NOT NULL,
        language text NOT NULL)`);
    await runner.query(`
      CREATE TABLE withdrawal (
        problem_id text NOT NULL,
        stage int NOT NULL,
        version int NOT NULL,
        PRIMARY KEY (problem_id, stage))`);
    await runner.query(`
      CREATE TABLE request (
        request_id text PRIMARY KEY,
        target text NOT NULL,
        target_version int NOT NULL,
        checkpoint text NOT NULL,
        problem_id text NOT NULL,
        version int NOT NULL,
        purpose int NOT NULL,
        attempts int NOT NULL,
        state text NOT NULL CHECK (state IN ('waiting', 'asking', 'done', 'refused')),
        reason text NOT NULL DEFAULT '',
        cause_id text NOT NULL,
        traceparent text,
        requested_at timestamptz NOT NULL DEFAULT now())`);
    await runner.query(`CREATE INDEX request_waiting_problem ON request (problem_id) WHERE state = 'waiting'`);
    await runner.query(`CREATE INDEX request_waiting_target ON request (target) WHERE state = 'waiting'`);
    await runner.query(`
      CREATE TABLE answer (
        request_id text NOT NULL,
        slot int NOT NULL,
        output bytea NOT NULL,
        stop_reason int NOT NULL,
        prompt_tokens int NOT NULL,
        output_tokens int NOT NULL,
        seed bigint,
        prompt_hash text NOT NULL,
        PRIMARY KEY (request_id, slot))`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE answer, request, withdrawal, problem, target');
  }
}

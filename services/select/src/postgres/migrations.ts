import { Batches1764560000000 } from './batches-1764560000000.ts';
import { AddAges1764530000000 } from './add-ages-1764530000000.ts';
import type { MigrationInterface, QueryRunner } from 'typeorm';

export class SelectTables1764500000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE problems (
        problem_id text PRIMARY KEY,
        version integer NOT NULL,
        suite_hash text NOT NULL,
        held_out boolean NOT NULL,
        synthetic boolean NOT NULL,
        content bytea NOT NULL
      );
      COMMENT ON COLUMN problems.content IS 'CuratedProblem with what depends on the problem alone';

      CREATE TABLE splits (problem_id text PRIMARY KEY, held_out boolean NOT NULL);

      CREATE TABLE scores (problem_id text PRIMARY KEY, version integer NOT NULL, score double precision NOT NULL);

      CREATE TABLE withdrawals (
        problem_id text NOT NULL,
        stage integer NOT NULL,
        version integer NOT NULL,
        taken_back boolean NOT NULL,
        PRIMARY KEY (problem_id, stage)
      );

      CREATE TABLE targets (
        target text PRIMARY KEY,
        version integer NOT NULL,
        declaration bytea NOT NULL,
        batches bigint NOT NULL DEFAULT 0
      );
      COMMENT ON COLUMN targets.declaration IS 'TargetDeclared of the newest version';

      CREATE TABLE checkpoints (
        target text NOT NULL,
        checkpoint text NOT NULL,
        ordinal integer NOT NULL,
        PRIMARY KEY (target, checkpoint)
      );

      CREATE TABLE calibrations (
        target text NOT NULL,
        version integer NOT NULL,
        target_version integer NOT NULL,
        calibration bytea NOT NULL,
        PRIMARY KEY (target, version)
      );

      CREATE TABLE panel_members (target text NOT NULL, problem_id text NOT NULL, PRIMARY KEY (target, problem_id));

      CREATE TABLE estimates (
        target text NOT NULL,
        problem_id text NOT NULL,
        version integer NOT NULL,
        target_version integer NOT NULL,
        suite_hash text NOT NULL,
        estimate bytea NOT NULL,
        PRIMARY KEY (target, problem_id)
      );
      COMMENT ON COLUMN estimates.estimate IS 'DifficultyEstimated';

      CREATE TABLE members (
        target text NOT NULL,
        problem_id text NOT NULL,
        rank integer NOT NULL,
        fingerprint text NOT NULL,
        bin smallint NOT NULL,
        updated_at timestamptz NOT NULL DEFAULT clock_timestamp(),
        content bytea NOT NULL,
        PRIMARY KEY (target, problem_id)
      );
      CREATE INDEX members_by_rank ON members (target, rank);
      COMMENT ON COLUMN members.content IS 'CuratedProblem as published';

      -- Something changed for a target. Only ever inserted and deleted, so that handlers do not wait for one another.
      CREATE TABLE marks (mark_id bigserial PRIMARY KEY, target text NOT NULL);
      CREATE INDEX marks_by_target ON marks (target);

      CREATE TABLE problem_leases (
        lease_id text PRIMARY KEY,
        target text NOT NULL,
        problem_id text NOT NULL,
        version integer NOT NULL,
        batch bigint NOT NULL,
        position integer NOT NULL,
        holder text NOT NULL,
        state text NOT NULL CHECK (state IN ('open', 'closed', 'returned', 'void')),
        expires_at timestamptz NOT NULL,
        group_id text,
        closed_at timestamptz
      );
      CREATE INDEX problem_leases_closed ON problem_leases (target, problem_id, closed_at) WHERE state = 'closed';
      CREATE INDEX problem_leases_by_expiry ON problem_leases (expires_at);
      CREATE INDEX problem_leases_open ON problem_leases (target, problem_id) WHERE state = 'open';
      CREATE INDEX problem_leases_by_problem ON problem_leases (problem_id) WHERE state = 'open';
    `);
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward: expand, then contract');
  }
}

export const migrations = [SelectTables1764500000000, AddAges1764530000000, Batches1764560000000];

import { withholdingTables } from '@tidemark/stage-runtime';
import type { MigrationInterface, QueryRunner } from 'typeorm';

export class IngestTables1764501000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE records (
        problem_id text PRIMARY KEY,
        version integer NOT NULL,
        content_sha256 text NOT NULL,
        submitter text NOT NULL,
        state text NOT NULL CHECK (state IN ('new', 'accepted', 'rejected', 'withdrawn'))
      );
      COMMENT ON TABLE records IS 'One row a record of a source. Its lock orders the offers of the record';
      COMMENT ON COLUMN records.state IS 'new: the row was made to be locked, nothing is known yet';

      CREATE TABLE targets (
        target text NOT NULL,
        version integer NOT NULL,
        group_size integer NOT NULL,
        PRIMARY KEY (target, version)
      );

      CREATE TABLE checkpoints (
        target text NOT NULL,
        checkpoint text NOT NULL,
        target_version integer NOT NULL,
        PRIMARY KEY (target, checkpoint)
      );

      CREATE TABLE parked_groups (
        event_id text PRIMARY KEY,
        submitter text NOT NULL,
        target text NOT NULL,
        target_version integer,
        checkpoint text NOT NULL,
        problem_id text NOT NULL,
        offer bytea NOT NULL,
        intake_hour integer NOT NULL,
        traceparent text,
        topic_partition integer NOT NULL,
        topic_offset bigint NOT NULL,
        appended_ms bigint NOT NULL,
        parked_at timestamptz NOT NULL DEFAULT now()
      );
      CREATE INDEX parked_groups_by_submitter ON parked_groups (submitter);
      CREATE INDEX parked_groups_by_problem ON parked_groups (problem_id);
      CREATE INDEX parked_groups_by_age ON parked_groups (parked_at);
      COMMENT ON COLUMN parked_groups.offer IS 'RolloutsIntake as it came';
    `);
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward: expand, then contract');
  }
}

/** What the sender called the event, by which a group without an id of its own is known again. */
export class ParkedSenderIds1764540000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE parked_groups ADD COLUMN sender_id text');
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward: expand, then contract');
  }
}

/** Key, headers and place of a parked group, a `ConsumedRecord`; groups that replicas of before park have none. */
export class ParkedOrigins1764545000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE parked_groups ADD COLUMN origin bytea');
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward: expand, then contract');
  }
}

export class IngestWithholding1764546000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(withholdingTables);
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward: expand, then contract');
  }
}

/** What tells equal offers without reading them; PostgreSQL writes it, also for replicas of before. */
export class OfferHashes1764560000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      'ALTER TABLE parked_groups ADD COLUMN offer_hash bytea NOT NULL GENERATED ALWAYS AS (sha256(offer)) STORED',
    );
  }

  async down(): Promise<void> {
    throw new Error('migrations only go forward: expand, then contract');
  }
}

export const migrations = [
  IngestTables1764501000000,
  ParkedSenderIds1764540000000,
  ParkedOrigins1764545000000,
  IngestWithholding1764546000000,
  OfferHashes1764560000000,
];

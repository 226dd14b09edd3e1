import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The tables that the runtime keeps in each service's schema. */
export class RuntimeTables1700000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      -- How far a group is. epoch rises when someone rewinds it on purpose, which ends every session of before.
      CREATE TABLE consumed_offsets (
        consumer_group text NOT NULL,
        topic text NOT NULL,
        incarnation text NOT NULL,
        partition integer NOT NULL,
        next bigint NOT NULL,
        epoch bigint NOT NULL DEFAULT 0,
        updated_at timestamptz NOT NULL DEFAULT now(),
        PRIMARY KEY (consumer_group, topic, incarnation, partition)
      );

      -- Newest revision handled, by consumed topic and key.
      CREATE TABLE seen_revisions (
        topic text NOT NULL,
        key bytea NOT NULL,
        revision bigint NOT NULL,
        PRIMARY KEY (topic, key)
      ) WITH (fillfactor = 80);

      -- Events handled on topics without revisions, kept for longer than a writer can come back to repeat them.
      CREATE TABLE seen_events (
        topic text NOT NULL,
        event_id text NOT NULL,
        seen_at timestamptz NOT NULL DEFAULT now(),
        PRIMARY KEY (topic, event_id)
      );
      CREATE INDEX seen_events_by_time ON seen_events USING brin (seen_at);

      -- Newest revision published, by topic and key. The row's lock orders the writers of one key.
      CREATE TABLE outgoing_revisions (
        topic text NOT NULL,
        key bytea NOT NULL,
        revision bigint NOT NULL,
        PRIMARY KEY (topic, key)
      ) WITH (fillfactor = 80);

      -- Events committed and not yet known to be in the log.
      CREATE SEQUENCE outbox_id AS bigint CACHE 1;
      CREATE TABLE outbox (
        shard smallint NOT NULL,
        id bigint NOT NULL DEFAULT nextval('outbox_id'),
        topic text NOT NULL,
        key bytea,
        value bytea,
        headers bytea NOT NULL,
        PRIMARY KEY (shard, id)
      ) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);

      -- Records laid aside, counted.
      CREATE TABLE dead_letter_counts (
        topic text NOT NULL,
        code text NOT NULL,
        count bigint NOT NULL,
        PRIMARY KEY (topic, code)
      );

      -- Long work. available_at is when a job may be taken: later for a delayed one, end of the lease for a taken one.
      CREATE SEQUENCE job_lease_token AS bigint;
      CREATE TABLE jobs (
        kind text NOT NULL,
        key text NOT NULL,
        cause_id text NOT NULL,
        traceparent text,
        payload bytea NOT NULL,
        priority integer NOT NULL DEFAULT 0,
        available_at timestamptz NOT NULL,
        attempts integer NOT NULL DEFAULT 0,
        faults integer NOT NULL DEFAULT 0,
        losses integer NOT NULL DEFAULT 0,
        lease_token bigint,
        leased_by text,
        last_error text,
        created_at timestamptz NOT NULL DEFAULT now(),
        PRIMARY KEY (kind, key)
      ) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);
      CREATE INDEX jobs_to_take ON jobs (kind, priority DESC, available_at);

      CREATE TABLE timers (
        name text PRIMARY KEY,
        tick bigint NOT NULL DEFAULT 1,
        due_at timestamptz NOT NULL DEFAULT now()
      );

      -- Names held by one replica. epoch rises with each new holder; writes under a lease check it.
      CREATE TABLE leases (
        name text PRIMARY KEY,
        owner text NOT NULL,
        address text NOT NULL,
        epoch bigint NOT NULL,
        expires_at timestamptz NOT NULL
      );
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP TABLE leases, timers, jobs, dead_letter_counts, outbox, outgoing_revisions, seen_events, seen_revisions,
        consumed_offsets;
      DROP SEQUENCE job_lease_token, outbox_id;
    `);
  }
}

import type { Database } from './database.ts';
import { functions } from './functions.ts';

/** Raised with every change of the tables or functions below. A newer version's replicas run beside the previous one's. */
const schemaVersion = 3;

/**
 * The log's tables, in a schema of their own.
 *
 * `topic_<id>` (made with the topic, see `functions.ts`) holds the records, divided by segment: an old segment goes by dropping its table.
 * `partitions.segment_id` says where a partition's next record is laid, `log_end` which offset it gets.
 */
const tables = /* sql */ `
CREATE TABLE event_log.topics (
  id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name text NOT NULL UNIQUE,
  incarnation uuid NOT NULL DEFAULT gen_random_uuid(),
  cleanup text NOT NULL CHECK (cleanup IN ('compact', 'delete')),
  retention_ms bigint NOT NULL,
  log_append_time boolean NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE event_log.segments (
  id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  topic_id int NOT NULL REFERENCES event_log.topics ON DELETE CASCADE,
  opened_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  -- Null while records are appended to it.
  sealed_at timestamptz,
  -- Written by compaction: nothing in it replaces anything else in it.
  compacted boolean NOT NULL DEFAULT false,
  -- The log end of each partition when it was sealed: what dropping it removes.
  log_ends bigint[]
);
CREATE INDEX segments_by_topic ON event_log.segments (topic_id);

CREATE TABLE event_log.partitions (
  topic_id int NOT NULL REFERENCES event_log.topics ON DELETE CASCADE,
  partition int NOT NULL,
  log_start bigint NOT NULL DEFAULT 0,
  log_end bigint NOT NULL DEFAULT 0,
  segment_id int NOT NULL,
  PRIMARY KEY (topic_id, partition)
) WITH (fillfactor = 50);

-- Of the writers of one name the one with the newest epoch may append.
CREATE TABLE event_log.writers (
  name text PRIMARY KEY,
  epoch bigint NOT NULL
);

CREATE TABLE event_log.members (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  topic_id int NOT NULL REFERENCES event_log.topics ON DELETE CASCADE,
  group_name text NOT NULL,
  session_timeout_ms int NOT NULL,
  expires_at timestamptz NOT NULL
) WITH (fillfactor = 50);
CREATE INDEX members_by_group ON event_log.members (topic_id, group_name);

CREATE TABLE event_log.claims (
  topic_id int NOT NULL,
  group_name text NOT NULL,
  partition int NOT NULL,
  member_id bigint NOT NULL REFERENCES event_log.members ON DELETE CASCADE,
  PRIMARY KEY (topic_id, group_name, partition)
);
CREATE INDEX claims_by_member ON event_log.claims (member_id);
`;

/** Creates what is missing. Safe to run from many processes at once. */
export async function createSchema(database: Database): Promise<void> {
  await database.transaction(async (sql) => {
    await sql("SELECT pg_advisory_xact_lock(hashtextextended('tidemark event_log schema', 0))");
    await sql('CREATE SCHEMA IF NOT EXISTS event_log');
    await sql('CREATE TABLE IF NOT EXISTS event_log.versions (version int PRIMARY KEY, at timestamptz DEFAULT now())');
    const [row] = await sql<{ version: number }>('SELECT coalesce(max(version), 0) AS version FROM event_log.versions');
    const current = row?.version ?? 0;
    if (current >= schemaVersion) return;
    if (current === 0) await sql(tables);
    await sql(functions);
    await sql('INSERT INTO event_log.versions (version) VALUES ($1)', [schemaVersion]);
  });
}

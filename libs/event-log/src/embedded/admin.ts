import { OffsetOutOfRangeError, TopicMismatchError } from '../errors.ts';
import type { Erasure, EventLogAdmin, TopicDescription, TopicSettings, TopicSpec } from '../port.ts';
import { compactTopic } from './compaction.ts';
import type { Database } from './database.ts';
import { lockPartitions } from './segments.ts';
import type { TopicCatalog } from './topic-catalog.ts';
import { sleep } from '../backoff.ts';

interface StoredSpec {
  readonly name: string;
  readonly cleanup: string;
  readonly partitions: number;
}

export class EmbeddedAdmin implements EventLogAdmin {
  readonly #database: Database;
  readonly #topics: TopicCatalog;

  constructor(database: Database, topics: TopicCatalog) {
    this.#database = database;
    this.#topics = topics;
  }

  async ensureTopics(specs: readonly TopicSpec[]): Promise<void> {
    await this.#database.transaction(async (sql) => {
      await sql("SELECT pg_advisory_xact_lock(hashtextextended('tidemark event_log topics', 0))");
      const stored = await sql<StoredSpec>(
        `SELECT t.name, t.cleanup,
           (SELECT count(*)::int FROM event_log.partitions p WHERE p.topic_id = t.id) AS partitions
         FROM event_log.topics t WHERE t.name = ANY($1::text[])`,
        [specs.map((spec) => spec.name)],
      );
      const byName = new Map(stored.map((topic) => [topic.name, topic]));
      for (const spec of specs) {
        const there = byName.get(spec.name);
        if (there) checkSame(spec, there);
        else {
          await sql('SELECT event_log.create_topic($1, $2, $3, $4, $5)', [
            spec.name,
            spec.partitions,
            spec.cleanup,
            spec.retentionMs,
            spec.logAppendTime,
          ]);
        }
        byName.set(spec.name, spec);
      }
      await sql(
        `UPDATE event_log.topics t SET retention_ms = s.retention_ms, log_append_time = s.log_append_time
         FROM unnest($1::text[], $2::bigint[], $3::bool[]) AS s(name, retention_ms, log_append_time)
         WHERE t.name = s.name AND (t.retention_ms, t.log_append_time) <> (s.retention_ms, s.log_append_time)`,
        [specs.map((s) => s.name), specs.map((s) => s.retentionMs), specs.map((s) => s.logAppendTime)],
      );
    });
  }

  async describe(topic: string): Promise<TopicDescription | undefined> {
    return (await this.describeAll([topic])).get(topic);
  }

  async describeAll(topics: readonly string[]): Promise<ReadonlyMap<string, TopicDescription>> {
    this.#topics.forget(topics);
    const rows = await this.#database.query<{ name: string; incarnation: string; log_start: bigint; log_end: bigint }>(
      `SELECT t.name, t.incarnation::text AS incarnation, p.log_start, p.log_end
       FROM event_log.topics t JOIN event_log.partitions p ON p.topic_id = t.id
       WHERE t.name = ANY($1::text[]) ORDER BY t.name, p.partition`,
      [topics],
    );
    return new Map(
      [...Map.groupBy(rows, ({ name }) => name)].map(([name, ofTopic]) => [
        name,
        {
          name,
          incarnation: ofTopic[0]?.incarnation ?? '',
          partitions: ofTopic.map(({ log_start, log_end }) => ({ logStart: log_start, logEnd: log_end })),
        },
      ]),
    );
  }

  async settings(topics: readonly string[]): Promise<ReadonlyMap<string, TopicSettings>> {
    const rows = await this.#database.query<{
      name: string;
      cleanup: 'compact' | 'delete';
      retention_ms: bigint;
      log_append_time: boolean;
      partitions: number;
    }>(
      `SELECT t.name, t.cleanup, t.retention_ms, t.log_append_time,
         (SELECT count(*)::int FROM event_log.partitions p WHERE p.topic_id = t.id) AS partitions
       FROM event_log.topics t WHERE t.name = ANY ($1::text[])`,
      [topics],
    );
    return new Map(
      rows.map(({ name, cleanup, partitions, retention_ms, log_append_time }) => [
        name,
        { cleanup, partitions, retentionMs: Number(retention_ms), logAppendTime: log_append_time, further: {} },
      ]),
    );
  }

  async list(): Promise<readonly string[]> {
    const rows = await this.#database.query<{ name: string }>('SELECT name FROM event_log.topics ORDER BY name');
    return rows.map((row) => row.name);
  }

  async deleteTopic(topic: string): Promise<void> {
    await this.#database.transaction(async (sql) => {
      await sql("SELECT pg_advisory_xact_lock(hashtextextended('tidemark event_log topics', 0))");
      const [row] = await sql<{ id: number }>('SELECT id FROM event_log.topics WHERE name = $1', [topic]);
      if (!row) return;
      // Compaction or a drop of segments under way comes first, then the appends.
      await sql("SELECT pg_advisory_xact_lock(hashtextextended('tidemark event_log maintain ' || $1::int, 0))", [
        row.id,
      ]);
      await lockPartitions(sql, row.id);
      await sql(`DROP TABLE event_log.topic_${row.id}`);
      await sql('DELETE FROM event_log.topics WHERE id = $1', [row.id]);
    });
    this.#topics.forget([topic]);
  }

  async compact(topic: string): Promise<void> {
    const entry = (await this.#topics.resolve([topic])).get(topic);
    if (!entry) throw new TopicMismatchError(topic, 'there is no such topic');
    if (entry.cleanup !== 'compact') throw new TopicMismatchError(topic, 'is not compacted');
    while (!(await compactTopic(this.#database, entry.id))) await sleep(50);
  }

  async deleteRecords(topic: string, partition: number, before: bigint): Promise<void> {
    const entry = (await this.#topics.resolve([topic])).get(topic);
    if (!entry) throw new TopicMismatchError(topic, 'there is no such topic');
    await this.#database.transaction(async (sql) => {
      const [row] = await sql<{ log_start: bigint; log_end: bigint }>(
        'SELECT log_start, log_end FROM event_log.partitions WHERE topic_id = $1 AND partition = $2 FOR NO KEY UPDATE',
        [entry.id, partition],
      );
      if (!row) throw new TopicMismatchError(topic, `has no partition ${partition}`);
      if (before > row.log_end) {
        throw new OffsetOutOfRangeError(topic, partition, before, row.log_start, row.log_end);
      }
      await sql(
        'UPDATE event_log.partitions SET log_start = greatest(log_start, $3) WHERE topic_id = $1 AND partition = $2',
        [entry.id, partition, String(before)],
      );
      await sql(`DELETE FROM event_log.topic_${entry.id} WHERE partition = $1 AND "offset" < $2`, [
        partition,
        String(before),
      ]);
    });
  }

  async erase(topic: string, { text, placeholder, others }: Erasure): Promise<{ deleted: number; redacted: number }> {
    const bytes = Buffer.from(text);
    if (bytes.length !== Buffer.byteLength(placeholder)) throw new TypeError('the placeholder has another length');
    const entry = (await this.#topics.resolve([topic])).get(topic);
    if (!entry) throw new TopicMismatchError(topic, 'there is no such topic');
    const records = `event_log.topic_${entry.id}`;
    return await this.#database.transaction(async (sql) => {
      // A compaction under way would bring back what it has read.
      await sql("SELECT pg_advisory_xact_lock(hashtextextended('tidemark event_log maintain ' || $1::int, 0))", [
        entry.id,
      ]);
      const elsewhere = others === 'delete' ? `OR ${holds('value')} OR ${holds('headers')}` : '';
      const deleted = await sql(`DELETE FROM ${records} WHERE ${holds('key')} ${elsewhere} RETURNING 1`, [bytes]);
      const redacted = await sql(
        `UPDATE ${records} SET value = ${replaced('value')}, headers = ${replaced('headers')}
         WHERE ${holds('value')} OR ${holds('headers')} RETURNING 1`,
        [bytes, Buffer.from(placeholder)],
      );
      return { deleted: deleted.length, redacted: redacted.length };
    });
  }
}

const holds = (column: string) => `position($1::bytea IN coalesce(${column}, '')) > 0`;
/** Two hexadecimal digits a byte: the length stays. */
const replaced = (column: string) =>
  `decode(replace(encode(${column}, 'hex'), encode($1::bytea, 'hex'), encode($2::bytea, 'hex')), 'hex')`;

function checkSame(spec: TopicSpec, there: StoredSpec): void {
  if (there.partitions !== spec.partitions) {
    throw new TopicMismatchError(
      spec.name,
      `has ${there.partitions} partitions, not ${spec.partitions}: more partitions are a new topic and a migration`,
    );
  }
  if (there.cleanup !== spec.cleanup) {
    throw new TopicMismatchError(spec.name, `has clean-up ${there.cleanup}, not ${spec.cleanup}`);
  }
}

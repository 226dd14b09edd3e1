import { sleep } from '../backoff.ts';
import { compactTopic } from './compaction.ts';
import type { Database } from './database.ts';
import { dropSegment, lockPartitions, rollSegment, tryMaintain } from './segments.ts';

export interface MaintenanceOptions {
  /** Time between two looks, in ms. Default 60,000. */
  readonly everyMs?: number;
  /** A segment is sealed at this size, in bytes. Default 64 MiB. */
  readonly segmentBytes?: number;
  /** A compacted topic is compacted when at least this much was appended since, and as much as survived; 8 MiB. */
  readonly compactBytes?: number;
}

interface TopicState {
  readonly topic_id: number;
  readonly cleanup: 'compact' | 'delete';
  readonly open_bytes: bigint;
  readonly dirty_bytes: bigint;
  readonly clean_bytes: bigint;
  /** The open segment holds records and is older than a quarter of the retention. */
  readonly open_is_old: boolean;
  readonly expired: number[];
}

/** Seals segments, drops those whose retention is over, compacts. Any process may do it; they keep out of each other's way. */
export class Maintenance {
  readonly #database: Database;
  readonly #options: Required<MaintenanceOptions>;
  readonly #closing = new AbortController();
  #loop: Promise<void> | undefined;

  constructor(database: Database, options: MaintenanceOptions = {}) {
    this.#database = database;
    this.#options = { everyMs: 60_000, segmentBytes: 64 << 20, compactBytes: 8 << 20, ...options };
  }

  start(): void {
    this.#loop ??= this.#run();
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#loop;
  }

  /** One look at all topics. */
  async once(): Promise<void> {
    const topics = await this.#database.query<TopicState>(stateSql);
    for (const topic of topics) {
      if (this.#closing.signal.aborted) return;
      await this.#maintain(topic);
    }
  }

  async #run(): Promise<void> {
    while (!this.#closing.signal.aborted) {
      // Not on the second, or all processes look at once.
      await sleep(this.#options.everyMs * (0.75 + Math.random() / 2), this.#closing.signal);
      if (this.#closing.signal.aborted) return;
      // Away or busy: the next look is soon enough, and consumers report a database that is away.
      await this.once().catch(() => undefined);
    }
  }

  async #maintain(topic: TopicState): Promise<void> {
    const { segmentBytes, compactBytes } = this.#options;
    if (topic.cleanup === 'compact') {
      const dirty = Number(topic.dirty_bytes);
      if (dirty >= Math.max(compactBytes, Number(topic.clean_bytes)))
        await compactTopic(this.#database, topic.topic_id);
      else if (Number(topic.open_bytes) >= segmentBytes) await this.#roll(topic.topic_id);
      return;
    }
    if (Number(topic.open_bytes) >= segmentBytes || topic.open_is_old) await this.#roll(topic.topic_id);
    for (const segment of topic.expired) await dropExpired(this.#database, topic.topic_id, segment);
  }

  async #roll(topicId: number): Promise<void> {
    await this.#database.transaction(async (sql) => {
      if (await tryMaintain(sql, topicId)) await rollSegment(sql, topicId);
    });
  }
}

async function dropExpired(database: Database, topicId: number, segmentId: number): Promise<void> {
  await database.transaction(async (sql) => {
    if (!(await tryMaintain(sql, topicId))) return;
    await lockPartitions(sql, topicId);
    await sql(
      `UPDATE event_log.partitions p SET log_start = greatest(p.log_start, s.log_ends[p.partition + 1])
       FROM event_log.segments s WHERE s.id = $2 AND p.topic_id = $1`,
      [topicId, segmentId],
    );
    await dropSegment(sql, segmentId);
  });
}

const stateSql = /* sql */ `
SELECT t.id AS topic_id, t.cleanup,
  coalesce(sum(b.bytes) FILTER (WHERE s.sealed_at IS NULL), 0)::bigint AS open_bytes,
  coalesce(sum(b.bytes) FILTER (WHERE NOT s.compacted), 0)::bigint AS dirty_bytes,
  coalesce(sum(b.bytes) FILTER (WHERE s.compacted), 0)::bigint AS clean_bytes,
  coalesce(bool_or(s.sealed_at IS NULL AND b.holds_records
    AND s.opened_at < clock_timestamp() - t.retention_ms * interval '0.25 millisecond'), false) AS open_is_old,
  coalesce(array_agg(s.id ORDER BY s.id) FILTER (WHERE t.cleanup = 'delete'
    AND s.sealed_at < clock_timestamp() - t.retention_ms * interval '1 millisecond'), '{}') AS expired
FROM event_log.topics t
JOIN event_log.segments s ON s.topic_id = t.id
CROSS JOIN LATERAL (
  -- Heap and long values. Null when it was dropped meanwhile.
  SELECT coalesce(pg_table_size(t.oid), 0) AS bytes, coalesce(pg_relation_size(t.oid), 0) > 0 AS holds_records
  FROM (SELECT to_regclass('event_log.segment_' || s.id) AS oid) t
) b
GROUP BY t.id`;

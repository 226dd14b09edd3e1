import { Injectable } from '@nestjs/common';
import type { EventLog, LogRecord, PartitionId, TopicDescription } from '@tidemark/event-log';
import { InjectEventLog, RETENTION_MS, type Sql, StageDatabase, type StageTransaction } from '@tidemark/stage-runtime';

/** Records of one partition that a turn takes at most. */
const TURN_RECORDS = 2_000;
/** How often a position at the end of its partition is marked as looked at, in ms. */
const MARK_MS = 600_000;

/** Stores what a followed topic says. */
export interface FollowedTopic {
  /** Tombstones go after a while: who was away for longer has to begin again, without what it knew. */
  readonly compacted: boolean;
  apply(tx: StageTransaction, topic: string, records: readonly LogRecord[]): Promise<void>;
  /** Retention has taken what lies below this offset. */
  trimmed?(tx: StageTransaction, topic: string, partition: number, logStart: bigint): Promise<void>;
  /** The topic is another one than before, or its older records or tombstones are gone: what was stored of it must go. */
  reset(tx: StageTransaction, topic: string): Promise<void>;
}

/**
 * Reads topics whose names are not fixed when the service starts, from the stored offset on. The offset is moved in the
 * transaction that stores the records, as everywhere.
 */
@Injectable()
export class LogFollower {
  /** Log starts that are known to be told, by topic and partition. */
  private readonly toldStarts = new Map<string, bigint>();
  private markedAt = 0;

  constructor(
    @InjectEventLog() private readonly log: EventLog,
    private readonly database: StageDatabase,
  ) {}

  /** One turn over these topics. Those that are not there (yet) are passed over. */
  async follow(topics: readonly string[], followed: FollowedTopic): Promise<void> {
    // The log is asked outside of transactions, and once; most often nothing is new.
    const described = await this.log.admin.describeAll(topics);
    const positions = await readPositions(this.database, topics);
    for (const topic of described.values()) {
      if (this.hasNews(topic, positions.get(topic.name), followed)) await this.turn(topic, followed);
    }
    await this.mark(topics);
  }

  /** Records that wait, over all partitions; offsets have holes, so that it is an upper bound above 0. */
  async lag(topics: readonly string[]): Promise<number> {
    const described = await this.log.admin.describeAll(topics);
    const positions = await readPositions(this.database, topics);
    return [...described.values()].reduce((sum, topic) => sum + lagOf(topic, positions.get(topic.name)), 0);
  }

  private hasNews(
    topic: TopicDescription,
    positions: Positions = NONE,
    { compacted, trimmed }: FollowedTopic,
  ): boolean {
    return topic.partitions.some(({ logStart, logEnd }, partition) => {
      const known = positions.get(partition);
      if (known === undefined || known.incarnation !== topic.incarnation || known.next < logEnd) return true;
      if (compacted && known.away) return true;
      return trimmed !== undefined && logStart > (this.toldStarts.get(`${topic.name}/${partition}`) ?? 0n);
    });
  }

  private async turn(description: TopicDescription, followed: FollowedTopic): Promise<void> {
    const { name: topic, incarnation, partitions } = description;
    await this.database.transaction('follow', async (tx) => {
      // Another replica may have come here meanwhile.
      await tx.query(`SELECT pg_advisory_xact_lock(hashtextextended('follow ' || $1, 0))`, [topic]);
      const positions = (await readPositions(tx, [topic])).get(topic) ?? NONE;
      const usable = partitions.every(({ logStart }, partition) => {
        const known = positions.get(partition);
        if (known === undefined) return true;
        return known.incarnation === incarnation && known.next >= logStart && !(followed.compacted && known.away);
      });
      if (positions.size > 0 && !usable) {
        await followed.reset(tx, topic);
        await tx.query('DELETE FROM followed WHERE topic = $1', [topic]);
      }
      for (const [partition, bounds] of partitions.entries()) {
        if (bounds.logStart > 0n) await followed.trimmed?.(tx, topic, partition, bounds.logStart);
        const next = usable ? (positions.get(partition)?.next ?? bounds.logStart) : bounds.logStart;
        if (next >= bounds.logEnd && positions.has(partition) && usable) continue;
        const { records, reached } = await this.readFrom(topic, partition, next, bounds.logEnd);
        if (records.length > 0) await followed.apply(tx, topic, records);
        await storePosition(tx, { topic, partition, incarnation }, reached);
      }
      tx.afterCommit(() => {
        for (const [partition, { logStart }] of partitions.entries()) {
          this.toldStarts.set(`${topic}/${partition}`, logStart);
        }
      });
    });
  }

  /** A topic on which nothing happens is followed all the same: that its position is old must not look like absence. */
  private async mark(topics: readonly string[]): Promise<void> {
    if (performance.now() - this.markedAt < MARK_MS && this.markedAt > 0) return;
    await this.database.query('UPDATE followed SET looked_at = clock_timestamp() WHERE topic = ANY ($1::text[])', [
      topics,
    ]);
    this.markedAt = performance.now();
  }

  private async readFrom(topic: string, partition: number, from: bigint, until: bigint) {
    const records: LogRecord[] = [];
    if (from >= until) return { records, reached: until };
    const stop = new AbortController();
    try {
      for await (const record of this.log.read({ topic, partition, from, until, signal: stop.signal })) {
        records.push(record);
        if (records.length >= TURN_RECORDS) return { records, reached: record.offset + 1n };
      }
    } finally {
      stop.abort();
    }
    return { records, reached: until };
  }
}

interface Position {
  readonly incarnation: string;
  readonly next: bigint;
  /** Nobody has looked for longer than tombstones are kept. */
  readonly away: boolean;
}
type Positions = ReadonlyMap<number, Position>;
const NONE: Positions = new Map();

async function readPositions(sql: Sql, topics: readonly string[]): Promise<ReadonlyMap<string, Positions>> {
  const rows = await sql.query<Position & { topic: string; partition: number }>(
    `SELECT topic, partition, incarnation, next, looked_at < clock_timestamp() - $2 * interval '1 ms' AS away
     FROM followed WHERE topic = ANY ($1::text[])`,
    [topics, RETENTION_MS],
  );
  return new Map(
    [...Map.groupBy(rows, ({ topic }) => topic)].map(([topic, of]) => [
      topic,
      new Map(of.map((row) => [row.partition, row])),
    ]),
  );
}

async function storePosition(sql: Sql, { topic, partition, incarnation }: PartitionId, next: bigint): Promise<void> {
  await sql.query(
    `INSERT INTO followed (topic, partition, incarnation, next) VALUES ($1, $2, $3, $4)
     ON CONFLICT (topic, partition) DO UPDATE SET incarnation = excluded.incarnation, next = excluded.next,
       looked_at = clock_timestamp()`,
    [topic, partition, incarnation, next],
  );
}

function lagOf({ partitions, incarnation }: TopicDescription, positions: Positions = NONE): number {
  return partitions.reduce((sum, { logStart, logEnd }, partition) => {
    const known = positions.get(partition);
    const next = known?.incarnation === incarnation ? known.next : logStart;
    return sum + Number(logEnd - next);
  }, 0);
}

import { Injectable } from '@nestjs/common';
import type { EventLog, LogRecord, PartitionId, TopicDescription } from '@tidemark/event-log';
import { InjectEventLog, type Sql, type StageTransaction } from '@tidemark/stage-runtime';

/** Records of one partition that a turn takes at most. */
const TURN_RECORDS = 2_000;

/** Stores what a followed topic says. */
export interface FollowedTopic {
  apply(tx: StageTransaction, topic: string, records: readonly LogRecord[]): Promise<void>;
  /** Retention has taken what lies below this offset. */
  trimmed?(tx: StageTransaction, topic: string, partition: number, logStart: bigint): Promise<void>;
  /** The topic is another one than before, or its older records are gone: what was stored of it must go. */
  reset(tx: StageTransaction, topic: string): Promise<void>;
}

/**
 * Reads topics whose names are not fixed when the service starts, from the stored offset on. The offset is moved in the
 * transaction that stores the records, as everywhere.
 */
@Injectable()
export class LogFollower {
  constructor(@InjectEventLog() private readonly log: EventLog) {}

  /** One turn over a topic's partitions. A topic that is not there (yet) is passed over. */
  async turn(tx: StageTransaction, topic: string, followed: FollowedTopic): Promise<void> {
    const description = await this.log.admin.describe(topic);
    if (description === undefined) return;
    const positions = await readPositions(tx, topic);
    const started = positions.size > 0;
    const usable = description.partitions.every(({ logStart }, partition) => {
      const known = positions.get(partition);
      return known === undefined || (known.incarnation === description.incarnation && known.next >= logStart);
    });
    if (started && !usable) {
      await followed.reset(tx, topic);
      await tx.query('DELETE FROM followed WHERE topic = $1', [topic]);
    }
    for (const [partition, bounds] of description.partitions.entries()) {
      if (bounds.logStart > 0n) await followed.trimmed?.(tx, topic, partition, bounds.logStart);
      const next = usable ? (positions.get(partition)?.next ?? bounds.logStart) : bounds.logStart;
      if (next >= bounds.logEnd && positions.has(partition) && usable) continue;
      const { records, reached } = await this.readFrom(topic, partition, next, bounds.logEnd);
      if (records.length > 0) await followed.apply(tx, topic, records);
      await storePosition(tx, { topic, partition, incarnation: description.incarnation }, reached);
    }
  }

  /** Records that wait, over all partitions; offsets have holes, so that it is an upper bound above 0. */
  async lag(sql: Sql, topic: string): Promise<number> {
    const description = await this.log.admin.describe(topic);
    return description === undefined ? 0 : lagOf(description, await readPositions(sql, topic));
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
}

async function readPositions(sql: Sql, topic: string): Promise<ReadonlyMap<number, Position>> {
  const rows = await sql.query<Position & { partition: number }>(
    'SELECT partition, incarnation, next FROM followed WHERE topic = $1',
    [topic],
  );
  return new Map(rows.map((row) => [row.partition, row]));
}

async function storePosition(sql: Sql, { topic, partition, incarnation }: PartitionId, next: bigint): Promise<void> {
  await sql.query(
    `INSERT INTO followed (topic, partition, incarnation, next) VALUES ($1, $2, $3, $4)
     ON CONFLICT (topic, partition) DO UPDATE SET incarnation = excluded.incarnation, next = excluded.next`,
    [topic, partition, incarnation, next],
  );
}

function lagOf({ partitions, incarnation }: TopicDescription, positions: ReadonlyMap<number, Position>): number {
  return partitions.reduce((sum, { logStart, logEnd }, partition) => {
    const known = positions.get(partition);
    const next = known?.incarnation === incarnation ? known.next : logStart;
    return sum + Number(logEnd - next);
  }, 0);
}

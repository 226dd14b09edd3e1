/**
 * A process for the chaos suite to hurt: `relay` publishes rows of an outbox under one writer's name, `consumer` stores
 * what it is given, with its offset, in one transaction. Neither cleans up; both begin again after every fault.
 */
import pg from 'pg';
import { Backoff } from '../../backoff.ts';
import { openEmbeddedEventLog } from '../../embedded/embedded-event-log.ts';
import { openKafkaEventLog } from '../../kafka/kafka-event-log.ts';
import type { EventLog, FetchedBatch, OutgoingRecord, PartitionId } from '../../port.ts';
import type { ChaosTask } from './task.ts';

const task = JSON.parse(process.argv[2] ?? '') as ChaosTask;
const pool = new pg.Pool({ connectionString: task.databaseUrl, max: 6 });
pool.on('error', () => undefined);

const log = await open();
await (task.role === 'relay' ? relay() : consume());

async function open(): Promise<EventLog> {
  if (task.brokers) return openKafkaEventLog({ brokers: task.brokers, replicationFactor: 1 });
  for (;;) {
    try {
      return await openEmbeddedEventLog({ connection: { connectionString: task.databaseUrl }, pollMs: 500 });
    } catch {
      // Cut off while it opened.
      await pause(100);
    }
  }
}

interface OutboxRow extends OutgoingRecord {
  readonly id: string;
}

async function relay(): Promise<never> {
  let writer = await log.writer(task.writer);
  // In life a lease keeps two relays of one name apart; here they only step back after each fence, ever longer.
  const backoff = new Backoff({ firstMs: 200, longestMs: 4_000 });
  for (;;) {
    try {
      const published = await writer.transaction(async (): Promise<OutboxRow[]> => {
        const { rows } = await pool.query<{ id: string; key: string }>(
          'SELECT id, key FROM outbox ORDER BY id LIMIT 100',
        );
        return rows.map((row) => ({
          id: row.id,
          topic: task.topic,
          key: Buffer.from(row.key),
          value: Buffer.from(row.id),
          headers: {},
        }));
      });
      await pool.query('DELETE FROM outbox WHERE id = ANY($1::bigint[])', [published.map((row) => row.id)]);
      backoff.succeeded();
      if (published.length === 0) await pause(20);
    } catch {
      // Fenced, unknown, or the outbox away: this writer is done. A rival of the same name does the same.
      await writer.close();
      await pause(backoff.next());
      writer = await log.writer(task.writer);
    }
  }
}

async function consume(): Promise<void> {
  await log.consume({
    group: task.group,
    topic: task.topic,
    sessionTimeoutMs: task.sessionTimeoutMs,
    maxBatchRecords: 20,
    sessions: {
      open: async (partition: PartitionId, bounds) => {
        const { rows } = await pool.query<{ next: string }>('SELECT next FROM next_offsets WHERE partition = $1', [
          partition.partition,
        ]);
        const start = rows[0] ? BigInt(rows[0].next) : bounds.logStart;
        let expected = start;
        const onBatch = async (batch: FetchedBatch) => {
          const stored = await store(batch, expected);
          if (stored) expected = batch.nextOffset;
          return stored ? ('stored' as const) : ('lost' as const);
        };
        return { start, session: { onBatch } };
      },
      onFault: (fault) => process.stderr.write(`${process.pid} ${fault.message}\n`),
    },
  });
}

/** The batch and its offset, together or not at all. */
async function store(batch: FetchedBatch, expected: bigint): Promise<boolean> {
  const client = await pool.connect();
  let broken: Error | undefined;
  const onError = (error: Error) => {
    broken = error;
  };
  client.on('error', onError);
  try {
    await client.query('BEGIN');
    const { partition } = batch.partition;
    const moved = await client.query(
      `INSERT INTO next_offsets AS n (partition, next) VALUES ($1, $3)
       ON CONFLICT (partition) DO UPDATE SET next = excluded.next WHERE n.next = $2`,
      [partition, String(expected), String(batch.nextOffset)],
    );
    if (moved.rowCount === 0) {
      await client.query('ROLLBACK');
      return false;
    }
    // A doubled record breaks the primary key, and the run.
    await client.query(
      `INSERT INTO applied (partition, "offset", id, process)
       SELECT $1, o, i, $4 FROM unnest($2::bigint[], $3::bigint[]) AS u(o, i)`,
      [
        partition,
        batch.records.map((record) => String(record.offset)),
        batch.records.map((record) => Buffer.from(record.value ?? []).toString()),
        process.pid,
      ],
    );
    // Long enough to be hit in the middle.
    await pause(Math.random() * 15);
    await client.query('COMMIT');
    return true;
  } catch (error) {
    broken = error as Error;
    throw error;
  } finally {
    client.removeListener('error', onError);
    client.release(broken);
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}

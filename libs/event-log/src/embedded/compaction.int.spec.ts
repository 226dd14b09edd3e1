import { startPostgres, type TestPostgres } from '@tidemark/testing-servers';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { EventLog, LogRecord } from '../port.ts';
import { Collector, text } from '../testing/collector.ts';
import { append, Harness, partitionIdOf, readAll, record, unique, until } from '../testing/harness.ts';
import { OffsetOutOfRangeError } from '../errors.ts';
import { Database } from './database.ts';
import { openEmbeddedEventLog } from './embedded-event-log.ts';
import { Maintenance } from './maintenance.ts';

/** Segments of the embedded log: sealed, compacted and dropped while others read and append. */
describe('segments', () => {
  let postgres: TestPostgres;
  let pool: pg.Pool;
  beforeAll(async () => {
    postgres = await startPostgres();
    pool = new pg.Pool({ connectionString: postgres.url });
  });
  afterAll(async () => {
    await pool.end();
    await postgres.stop();
  });
  const harness = new Harness({
    open: () => openEmbeddedEventLog({ connection: { connectionString: postgres.url }, maintenance: false }),
    compactsByItself: false,
  });
  afterEach(() => harness.close());

  const segmentsOf = async (topic: string): Promise<string[]> => {
    const { rows } = await pool.query<{ name: string }>(
      `SELECT c.relname AS name FROM event_log.topics t JOIN pg_inherits i ON i.inhparent =
         to_regclass('event_log.topic_' || t.id) JOIN pg_class c ON c.oid = i.inhrelid WHERE t.name = $1`,
      [topic],
    );
    return rows.map((row) => row.name);
  };

  /** As if all that a topic has were that much older. */
  const age = (topic: string, by: string) =>
    pool.query(
      `UPDATE event_log.segments s SET opened_at = opened_at - $2::interval, sealed_at = sealed_at - $2::interval
       FROM event_log.topics t WHERE t.id = s.topic_id AND t.name = $1`,
      [topic, by],
    );

  const maintain = async (options: ConstructorParameters<typeof Maintenance>[1]) => {
    const database = new Database({ connectionString: postgres.url });
    try {
      await new Maintenance(database, options).once();
    } finally {
      await database.close();
    }
  };

  test('compaction over and over, under load, loses no newest record and shows none twice', async () => {
    const [log, other] = [await harness.open(), await harness.open()];
    const topic = await harness.topic(log, { cleanup: 'compact', partitions: 2 });
    const writer = await log.writer(unique());
    const group = unique();
    const newest = new Map<string, string>();
    const collector = new Collector(harness.offsets, group);
    await other.consume({ group, topic, sessions: collector, maxBatchRecords: 17 });
    let writing = true;
    const compacting = (async () => {
      while (writing) {
        await Promise.all([log.admin.compact(topic), other.admin.compact(topic)]);
      }
    })();
    for (let round = 0; round < 120; round += 1) {
      const records = Array.from({ length: 8 }, (_, i) => {
        const key = `k${(round * 3 + i * 7) % 23}`;
        newest.set(key, `${round}`);
        return record(topic, key, `${round}`);
      });
      await append(writer, ...records);
    }
    writing = false;
    await compacting;
    await log.admin.compact(topic);
    const left: LogRecord[] = [...(await readAll(log, topic, 0)), ...(await readAll(log, topic, 1))];
    expect(new Map(left.map((r) => [text(r.key), text(r.value)]))).toEqual(newest);
    expect(left.length).toBe(newest.size);
    await until('the consumer is at the end', () =>
      [...newest].every(([key, value]) => collector.values(key).at(-1) === value),
    );
    const offsets = collector.stored.map((r) => `${r.partition}/${r.offset}`);
    expect(new Set(offsets).size).toBe(offsets.length);
    expect(collector.faults).toEqual([]);
    expect((await segmentsOf(topic)).length).toBe(2);
  });

  test('a tombstone goes when it is older than the retention, and its key with it', async () => {
    const log = await harness.open();
    const topic = await harness.topic(log, { cleanup: 'compact', retentionMs: 3_600_000 });
    const writer = await log.writer(unique());
    await append(writer, record(topic, 'a', '1'), record(topic, 'b', '1'));
    await append(writer, record(topic, 'a', null));
    await log.admin.compact(topic);
    expect((await readAll(log, topic)).map((r) => [text(r.key), text(r.value)])).toEqual([
      ['b', '1'],
      ['a', null],
    ]);
    await harness.topic(log, { name: topic, cleanup: 'compact', retentionMs: 1 });
    await until('the tombstone is older than that, and gone', async () => {
      await log.admin.compact(topic);
      return (await readAll(log, topic)).length === 1;
    });
    expect((await readAll(log, topic)).map((r) => text(r.key))).toEqual(['b']);
    // The end stays: nothing is given an offset twice.
    await append(writer, record(topic, 'c', '1'));
    expect((await readAll(log, topic)).at(-1)?.offset).toBe(5n);
  });

  test('retention drops old segments, and whoever was not done with them is told', async () => {
    const log = await harness.open();
    const topic = await harness.topic(log, { retentionMs: 3_600_000 });
    const writer = await log.writer(unique());
    const id = await partitionIdOf(log, topic);
    for (const value of ['1', '2']) await append(writer, record(topic, 'a', value));
    await age(topic, '20 minutes');
    await maintain({});
    await append(writer, record(topic, 'a', '3'));
    expect((await readAll(log, topic)).length).toBe(3);
    await age(topic, '61 minutes');
    await maintain({});
    expect((await log.admin.describe(topic))?.partitions).toEqual([{ logStart: 4n, logEnd: 6n }]);
    expect((await readAll(log, topic)).map((r) => text(r.value))).toEqual(['3']);
    const group = unique();
    harness.offsets.set(group, id, 2n);
    const collector = new Collector(harness.offsets, group);
    await log.consume({ group, topic, sessions: collector });
    await until('the report', () => collector.faults.some(({ fault }) => fault instanceof OffsetOutOfRangeError));
    expect(collector.stored).toEqual([]);
  });

  test('an empty log is not rolled over and over', async () => {
    const log = await harness.open();
    const topic = await harness.topic(log, { retentionMs: 1 });
    const before = await segmentsOf(topic);
    await maintain({});
    expect(await segmentsOf(topic)).toEqual(before);
  });

  test('maintenance compacts what has grown enough', async () => {
    const log = await harness.open();
    const topic = await harness.topic(log, { cleanup: 'compact' });
    const writer = await log.writer(unique());
    for (let i = 0; i < 5; i += 1) await append(writer, record(topic, 'a', `${i} ${'x'.repeat(20_000)}`));
    await maintain({ compactBytes: 1 });
    expect((await readAll(log, topic)).length).toBe(1);
    const compacted = await segmentsOf(topic);
    // Nothing new: nothing to do.
    await maintain({ compactBytes: 100_000 });
    expect(await segmentsOf(topic)).toEqual(compacted);
  });

  test('a reader that never ends its statement holds up neither appends nor maintenance for long', async () => {
    const log: EventLog = await harness.open();
    const topic = await harness.topic(log, { cleanup: 'compact' });
    const writer = await log.writer(unique());
    await append(writer, record(topic, 'a', '1'), record(topic, 'a', '2'));
    const [row] = (await pool.query<{ id: number }>('SELECT id FROM event_log.topics WHERE name = $1', [topic])).rows;
    const stuck = await pool.connect();
    await stuck.query(`BEGIN; SELECT count(*) FROM event_log.topic_${row?.id}`);
    await expect(log.admin.compact(topic)).rejects.toThrow();
    await append(writer, record(topic, 'a', '3'));
    await stuck.query('ROLLBACK');
    stuck.release();
    await log.admin.compact(topic);
    expect((await readAll(log, topic)).map((r) => text(r.value))).toEqual(['3']);
  });

  test('a process that hangs inside maintenance keeps no locks: appends go on', async () => {
    const log = await harness.open();
    const topic = await harness.topic(log);
    const writer = await log.writer(unique());
    const database = new Database({ connectionString: postgres.url });
    const release = Promise.withResolvers<void>();
    const locked = Promise.withResolvers<void>();
    const hanging = database.transaction(async (sql) => {
      await sql('SELECT 1 FROM event_log.partitions ORDER BY topic_id, partition FOR NO KEY UPDATE');
      locked.resolve();
      await release.promise;
    });
    const outcome = hanging.then(
      () => 'committed',
      () => 'ended by the server',
    );
    await locked.promise;
    await append(writer, record(topic, 'a', '1'));
    expect((await readAll(log, topic)).length).toBe(1);
    release.resolve();
    expect(await outcome).toBe('ended by the server');
    await database.close();
  });
});

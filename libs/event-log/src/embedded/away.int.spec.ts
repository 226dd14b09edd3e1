import { startPostgres, type TestPostgres } from '@tidemark/testing-servers';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { LogUnavailableError } from '../errors.ts';
import { Collector, text } from '../testing/collector.ts';
import { append, Harness, record, unique, until } from '../testing/harness.ts';
import { openEmbeddedEventLog } from './embedded-event-log.ts';

let postgres: TestPostgres;
let server: pg.Client;
beforeAll(async () => {
  postgres = await startPostgres();
  const url = new URL(postgres.url);
  url.pathname = '/postgres';
  server = new pg.Client({ connectionString: url.href });
  await server.connect();
});
afterAll(async () => {
  await server.end();
  await postgres.stop();
});
const harness = new Harness({
  open: () => openEmbeddedEventLog({ connection: { connectionString: postgres.url }, maintenance: false }),
  compactsByItself: false,
});
afterEach(async () => {
  await back();
  await harness.close();
});

/** The database refuses everybody, as while its server restarts. */
const away = async () => {
  await server.query(`ALTER DATABASE ${postgres.database} WITH ALLOW_CONNECTIONS false`);
  const sessions = `pg_stat_activity WHERE datname = '${postgres.database}'`;
  await server.query(`SELECT pg_terminate_backend(pid) FROM ${sessions}`);
  // Asked to end, a session may still answer one statement.
  await until('every session has ended', async () => (await server.query(`SELECT FROM ${sessions}`)).rowCount === 0);
};
const back = () => server.query(`ALTER DATABASE ${postgres.database} WITH ALLOW_CONNECTIONS true`);

test('a database that goes away is told, and when it is back all goes on', async () => {
  const log = await harness.open();
  const topic = await harness.topic(log);
  const writer = await log.writer(unique());
  const group = unique();
  const collector = new Collector(harness.offsets, group);
  await log.consume({ group, topic, sessions: collector, sessionTimeoutMs: 2_000 });
  const ending = new AbortController();
  const followed: (string | null)[] = [];
  const following = (async () => {
    for await (const found of log.read({ topic, partition: 0, from: 0n, signal: ending.signal })) {
      followed.push(text(found.value));
    }
  })();
  await append(writer, record(topic, 'a', '1'));
  await until('the first', () => collector.stored.length === 1 && followed.length === 1);

  await away();
  await until('the fault is told', () => collector.faults.some(({ fault }) => fault instanceof LogUnavailableError));
  await expect(log.ping()).rejects.toThrow(LogUnavailableError);
  await expect(append(writer, record(topic, 'a', 'lost'))).rejects.toThrow(LogUnavailableError);
  // Nothing is told meanwhile, also when the lease is over.
  await new Promise((resolve) => setTimeout(resolve, 3_000));
  expect(collector.recovered).toBe(0);

  await back();
  await until('the recovery is told', () => collector.recovered > 0);
  await log.ping();
  await expect(append(writer, record(topic, 'a', 'discarded'))).rejects.toThrow(LogUnavailableError);
  await append(await log.writer(unique()), record(topic, 'a', '2'));
  await until('the second', () => collector.stored.length === 2 && followed.length === 2);
  expect(collector.values()).toEqual(['1', '2']);
  expect(followed).toEqual(['1', '2']);
  ending.abort();
  await following;
});

test('stop and close end while the database is away', async () => {
  const log = await harness.open();
  const topic = await harness.topic(log);
  const collector = new Collector(harness.offsets, unique());
  const consumer = await log.consume({ group: unique(), topic, sessions: collector });
  await away();
  try {
    await until('the fault is told', () => collector.faults.length > 0);
    await consumer.stop();
    await log.close();
  } finally {
    await back();
  }
}, 20_000);

test('a consumer that begins while its topic is missing joins when the topic is there', async () => {
  const log = await harness.open();
  const topic = `test.${unique()}.v1`;
  const collector = new Collector(harness.offsets, unique());
  const joining = log.consume({ group: unique(), topic, sessions: collector });
  await until('the fault is told', () => collector.faults.length > 0);
  await harness.topic(log, { name: topic });
  const consumer = await joining;
  await until('the partition', () => consumer.assignment().length === 1);
});

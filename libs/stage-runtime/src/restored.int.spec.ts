import { randomBytes } from 'node:crypto';
import { type EventLog, openEmbeddedEventLog, openKafkaEventLog, topics } from '@tidemark/event-log';
import { describeWithKafka, startPostgres, type TestPostgres } from '@tidemark/testing-servers';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { echoStage, raw } from './testing/echo-stage.ts';
import { type StageHarness, startStage } from './testing/index.ts';

const KEEP = ['echoed', 'consumed_offsets', 'seen_revisions', 'seen_events', 'outgoing_revisions', 'outbox', 'jobs'];

/** What becomes of a service whose database and log are of different times. */
const describeRestores = (name: string, open: () => { log: EventLog; environment: string }) =>
  describe(`restored beside ${name}`, () => {
    let stage: StageHarness;
    let log: EventLog;
    beforeEach(async () => {
      const options = open();
      log = options.log;
      stage = await startStage(echoStage, { ...options, restored: true });
    });
    afterEach(async () => {
      await stage.stop();
      // Topics have the names that they have: each test begins without any.
      for (const topic of await log.admin.list()) await log.admin.deleteTopic(topic);
    });

    const offer = async (...messages: Parameters<typeof raw>[]) => {
      await stage.publish(topics.problemsRaw, ...messages.map((message) => raw(...message)));
      await stage.untilQuiet(60_000);
    };
    const state = () => stage.query('SELECT problem_id, version FROM echoed ORDER BY 1');
    /** The newest of each key, as a reader that keeps to revisions has it. */
    const read = async () => {
      const newest = new Map<string, { revision: bigint; version: number }>();
      for (const { key, value } of await stage.published(topics.problemsNormalized)) {
        if (value === undefined || value.revision <= (newest.get(key)?.revision ?? 0n)) continue;
        newest.set(key, { revision: value.revision, version: value.version });
      }
      return Object.fromEntries([...newest].map(([key, { version }]) => [key, version]));
    };
    const dump = async () => {
      for (const table of KEEP) await stage.query(`CREATE TABLE dump_${table} AS TABLE ${table}`);
    };
    const restore = async () => {
      await stage.kill();
      for (const table of KEEP) {
        await stage.query(`TRUNCATE ${table}`);
        await stage.query(`INSERT INTO ${table} SELECT * FROM dump_${table}`);
      }
    };

    it('PostgreSQL behind the log: what the log holds is read again, and what is said next is newer than all that was', async () => {
      await offer(['a', 1, 1n], ['b', 1, 1n]);
      await dump();
      for (let version = 2; version <= 6; version++) await offer(['a', version, BigInt(version)]);
      await offer(['c', 1, 1n]);
      const before = await state();
      await restore();
      await stage.restart();
      await stage.untilQuiet(60_000);
      expect(await state()).toEqual(before);
      expect(await read()).toEqual({ a: 6, b: 1, c: 1 });
      await offer(['a', 7, 7n]);
      expect(await read()).toEqual({ a: 7, b: 1, c: 1 });
    });

    it('the log behind PostgreSQL: topics that came back empty are read from their start under a new life', async () => {
      await offer(['a', 1, 1n], ['b', 1, 1n]);
      await stage.kill();
      for (const topic of [topics.problemsRaw, topics.problemsNormalized]) await log.admin.deleteTopic(topic.name);
      await stage.restart();
      await offer(['a', 2, 2n]);
      expect(await state()).toEqual([
        { problem_id: 'a', version: 2 },
        { problem_id: 'b', version: 1 },
      ]);
      expect(await read()).toEqual({ a: 2 });
    });
  });

describe('a restored service', () => {
  let postgres: TestPostgres;
  const logs: EventLog[] = [];
  beforeAll(async () => {
    postgres = await startPostgres();
    logs.push(await openEmbeddedEventLog({ connection: { connectionString: postgres.url } }));
  });
  afterAll(async () => {
    for (const log of logs) await log.close();
    await postgres.stop();
  });
  describeRestores('PostgreSQL', () => {
    const [log] = logs;
    if (log === undefined) throw new Error('no log');
    return { log, environment: 'restored' };
  });
});

describeWithKafka(
  'a restored service on a real broker',
  (kafka) => {
    let log: EventLog;
    beforeAll(() => {
      log = openKafkaEventLog({ brokers: kafka.brokers, replicationFactor: 1, minInsyncReplicas: 1 });
    });
    afterAll(() => log.close());
    describeRestores('Kafka', () => ({ log, environment: `spec-${randomBytes(4).toString('hex')}` }));
  },
  { own: true },
);

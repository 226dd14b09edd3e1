import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { create } from '@bufbuild/protobuf';
import { Controller, Module } from '@nestjs/common';
import { type EventLog, openEmbeddedEventLog, topics } from '@tidemark/event-log';
import { ProblemNormalizedSchema, type ProblemRaw } from '@tidemark/proto';
import { startPostgres, type TestPostgres } from '@tidemark/testing-servers';
import pg from 'pg';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { EventBatch, StageTransaction } from './api.ts';
import type { ServiceDefinition } from './define-service.ts';
import { OnEvent } from './on-event.ts';
import type { Stage } from './stage.ts';
import { startStage } from './start-stage.ts';
import { echoStage, raw } from './testing/echo-stage.ts';
import { PATIENCE } from './testing/patience.ts';
import { readTopic } from './testing/read-topic.ts';
import { TestPublisher } from './testing/test-publisher.ts';

/** Expand: a column that the release before does not know, with a default that does for it. */
class AddRelease1760000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE echoed ADD COLUMN release text NOT NULL DEFAULT 'before'`);
  }
  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE echoed DROP COLUMN release');
  }
}

/** The next release of the echo stage: it fills the new column. */
@Controller()
class OnProblemRawNext {
  @OnEvent(topics.problemsRaw)
  async handle(batch: EventBatch<ProblemRaw>, tx: StageTransaction): Promise<void> {
    for (const event of batch) {
      const { problemId, version } = event.value;
      await tx.query(
        `INSERT INTO echoed AS e (problem_id, times, version, release) VALUES ($1, 1, $2, 'next')
         ON CONFLICT (problem_id) DO UPDATE SET times = e.times + 1, version = excluded.version, release = 'next'`,
        [problemId, version],
      );
      tx.publish(event, topics.problemsNormalized, create(ProblemNormalizedSchema, { problemId, version }));
    }
  }
}

@Module({ controllers: [OnProblemRawNext] })
class NextModule {}

const before: ServiceDefinition = echoStage;
const next: ServiceDefinition = {
  ...echoStage,
  module: NextModule,
  migrations: [...echoStage.migrations, AddRelease1760000000000],
};

/** As a writer of the next release sends it: with a field that this one's contract does not have. */
function fromTheFuture(problemId: string): ProblemRaw {
  const message = raw(problemId);
  message.$unknown = [{ no: 4_000, wireType: 0, data: Uint8Array.of(1) }];
  return message;
}

describe('a rolling upgrade', () => {
  let postgres: TestPostgres;
  let log: EventLog;
  let pool: pg.Pool;
  let publisher: TestPublisher;
  const folder = mkdtempSync(join(tmpdir(), 'tidemark-upgrade-'));
  const running: Stage[] = [];

  beforeEach(async () => {
    postgres = await startPostgres();
    log = await openEmbeddedEventLog({ connection: { connectionString: postgres.url } });
    pool = new pg.Pool({ connectionString: postgres.url, options: '-c search_path=normalize', max: 2 });
    publisher = new TestPublisher(log, 4);
  });
  afterEach(async () => {
    await Promise.all(running.splice(0).map((stage) => stage.stop()));
    await log.close();
    await pool.end();
    await postgres.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  async function start(release: ServiceDefinition): Promise<Stage> {
    const options = { environment: 'test', log, databaseUrl: postgres.url, env: {}, blobFolder: folder, partitions: 4 };
    const stage = await startStage(release, {
      ...options,
      logLevel: 'silent',
      leaseMs: 1_500,
      relayPollMs: 200,
      backoff: { firstMs: 20, maxMs: 500 },
    });
    running.push(stage);
    return stage;
  }

  const handled = async (): Promise<{ problem_id: string; times: number }[]> =>
    (await pool.query('SELECT problem_id, times FROM echoed')).rows as { problem_id: string; times: number }[];
  const handledBy = async (release: string): Promise<number> => {
    const { rows } = await pool.query('SELECT count(*)::int AS n FROM echoed WHERE release = $1', [release]);
    return (rows as { n: number }[])[0]?.n ?? 0;
  };
  const offer = async (from: number, to: number): Promise<void> => {
    for (let n = from; n < to; n++) {
      await publisher.publish(topics.problemsRaw, [n % 2 === 0 ? raw(`p${n}`) : fromTheFuture(`p${n}`)]);
    }
  };

  it('goes on in both releases side by side, forwards and back, and handles each event once', async () => {
    const old = await start(before);
    await offer(0, 20);
    await expect.poll(async () => (await handled()).length, PATIENCE).toBe(20);

    // The next release migrates while the one before works, then they share the partitions.
    const [fresh] = await Promise.all([start(next), offer(20, 60)]);
    await expect.poll(async () => (await handled()).length, PATIENCE).toBe(60);
    for (let at = 60; at < 600 && ((await handledBy('next')) === 0 || (await handledBy('before')) <= 60); at += 20) {
      await offer(at, at + 20);
      await expect.poll(async () => (await handled()).length, PATIENCE).toBe(at + 20);
    }
    expect(await handledBy('next')).toBeGreaterThan(0);
    expect(old.readiness()).toEqual({ ready: true, reasons: [] });

    // The upgrade is taken back: a replica of the release before starts on the migrated schema.
    await fresh.stop();
    await start(before);
    const sofar = (await handled()).length;
    await offer(1_000, 1_020);
    await expect.poll(async () => (await handled()).length, PATIENCE).toBe(sofar + 20);

    const rows = await handled();
    expect(new Set(rows.map(({ times }) => times))).toEqual(new Set([1]));
    const published = async () => (await readTopic(log, topics.problemsNormalized)).map(({ key }) => key).sort();
    await expect.poll(published, PATIENCE).toEqual(rows.map(({ problem_id }) => problem_id).sort());
    const { rows: letters } = await pool.query('SELECT * FROM dead_letter_counts');
    expect(letters).toEqual([]);
  });
});

import { randomBytes } from 'node:crypto';
import { Controller, Module } from '@nestjs/common';
import { type EventLog, topics } from '@tidemark/event-log';
import type { ProblemRaw } from '@tidemark/proto';
import { defineService, type EventBatch, OnEvent, type StageTransaction } from '@tidemark/stage-runtime';
import { startStage } from '@tidemark/stage-runtime/testing';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { z } from 'zod';
import { Clock, decide, fill, TABLE, UPSERT_MANY } from './work.ts';

let clock = new Clock();

class Handled1750000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(TABLE);
  }
  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE handled');
  }
}

@Controller()
class OnProblemRaw {
  @OnEvent(topics.problemsRaw)
  async handle(batch: EventBatch<ProblemRaw>, tx: StageTransaction): Promise<void> {
    clock.begin();
    const { events } = batch;
    await tx.query(UPSERT_MANY, [events.map(({ value }) => value.problemId), events.map(({ value }) => value.version)]);
    for (const event of events) tx.publish(event, topics.problemsNormalized, decide(event.value));
  }
}

@Module({ controllers: [OnProblemRaw] })
class BenchModule {}

const benchStage = defineService({
  name: 'normalize',
  configSchema: z.object({}),
  module: BenchModule,
  migrations: [Handled1750000000000],
  topics: [topics.problemsRaw, topics.problemsNormalized],
});

/**
 * Events a second through the stage runtime: offset, revisions seen, state, outbox and publishing, in transactions.
 *
 * @param kafka a log that is filled already; without it the embedded one
 */
export async function throughStage(kafka: EventLog | undefined, partitions: number, count: number): Promise<number> {
  clock = new Clock();
  const environment = `bench-${randomBytes(4).toString('hex')}`;
  const stage = await startStage(benchStage, { ...(kafka && { log: kafka }), environment, partitions });
  try {
    if (kafka === undefined) await fill(stage.log, partitions, count);
    for (;;) {
      const [left] = await stage.query<{ handled: string; outbox: string }>(
        'SELECT (SELECT count(*) FROM handled) AS handled, (SELECT count(*) FROM outbox) AS outbox',
      );
      if (Number(left?.handled) === count && Number(left?.outbox) === 0) break;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    clock.end();
    return count / (await clock.seconds());
  } finally {
    await stage.stop();
  }
}

import { create } from '@bufbuild/protobuf';
import { Controller, Module } from '@nestjs/common';
import { topics } from '@tidemark/event-log';
import { type ProblemNormalized, ProblemNormalizedSchema, ProblemRawSchema, type ProblemRaw } from '@tidemark/proto';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { z } from 'zod';
import { DependencyFault, type EventBatch, RecordFault, type StageTransaction } from '../api.ts';
import { defineService } from '../define-service.ts';
import { OnEvent } from '../on-event.ts';

class Echoed1750000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      'CREATE TABLE echoed (problem_id text PRIMARY KEY, times integer NOT NULL, version integer NOT NULL)',
    );
  }
  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE echoed');
  }
}

/** What the stage does with problems whose id begins so. */
const echoFaults = { poison: 'poison', unforeseen: 'unforeseen', large: 'large' } as const;

/** Turned by specs while the stage runs. */
export const echoState = { dependencyAway: false, calls: 0, mended: false };

/** The least stage: `problems.raw` to `problems.normalized`, counting how often each problem was handled. */
@Controller()
class OnProblemRaw {
  @OnEvent(topics.problemsRaw)
  async handle(batch: EventBatch<ProblemRaw>, tx: StageTransaction): Promise<void> {
    echoState.calls++;
    if (echoState.dependencyAway) throw new DependencyFault('the endpoint', 'it is away');
    for (const { key } of batch.removed) {
      await tx.query('DELETE FROM echoed WHERE problem_id = $1', [key]);
    }
    for (const removed of batch.removed) tx.publishTombstone(removed, topics.problemsNormalized, removed.key);
    for (const event of batch) {
      const { problemId, version } = event.value;
      await tx.query(
        `INSERT INTO echoed AS e VALUES ($1, 1, $2)
         ON CONFLICT (problem_id) DO UPDATE SET times = e.times + 1, version = excluded.version`,
        [problemId, version],
      );
      if (problemId.startsWith(echoFaults.poison) && !echoState.mended)
        throw new RecordFault('poison', 'a poison record', event);
      if (problemId.startsWith(echoFaults.unforeseen)) throw new TypeError('nobody foresaw this');
      const title = problemId.startsWith(echoFaults.large) ? 'x'.repeat(300 * 1024) : '';
      tx.publish(event, topics.problemsNormalized, normalized(problemId, version, title));
    }
  }
}

@Module({ controllers: [OnProblemRaw] })
class EchoModule {}

export const echoStage = defineService({
  name: 'normalize',
  configSchema: z.object({}),
  module: EchoModule,
  migrations: [Echoed1750000000000],
  topics: [topics.problemsRaw, topics.problemsNormalized, topics.commandsCompleted],
});

export const raw = (problemId: string, version = 1, revision = 0n): ProblemRaw =>
  create(ProblemRawSchema, { problemId, version, revision });

const normalized = (problemId: string, version: number, title: string): ProblemNormalized =>
  create(ProblemNormalizedSchema, { problemId, version, content: { title } });

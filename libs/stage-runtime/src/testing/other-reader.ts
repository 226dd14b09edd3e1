import { Controller, Module } from '@nestjs/common';
import { topics } from '@tidemark/event-log';
import type { ProblemRaw } from '@tidemark/proto';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { z } from 'zod';
import type { EventBatch, StageTransaction } from '../api.ts';
import { defineService } from '../define-service.ts';
import { OnEvent } from '../on-event.ts';

class Read1750000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE TABLE read (problem_id text PRIMARY KEY, times integer NOT NULL)');
  }
  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE read');
  }
}

@Controller()
class OnProblemRaw {
  @OnEvent(topics.problemsRaw)
  async handle(batch: EventBatch<ProblemRaw>, tx: StageTransaction): Promise<void> {
    for (const { value } of batch) {
      await tx.query(
        'INSERT INTO read AS r VALUES ($1, 1) ON CONFLICT (problem_id) DO UPDATE SET times = r.times + 1',
        [value.problemId],
      );
    }
  }
}

@Module({ controllers: [OnProblemRaw] })
class OtherReaderModule {}

/** Another service that reads `problems.raw`, and can take every record. */
export const otherReader = defineService({
  name: 'gateway',
  configSchema: z.object({}),
  module: OtherReaderModule,
  migrations: [Read1750000000000],
  topics: [topics.problemsRaw],
});

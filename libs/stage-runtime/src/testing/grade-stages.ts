import { create } from '@bufbuild/protobuf';
import { Controller, Module } from '@nestjs/common';
import { topics } from '@tidemark/event-log';
import {
  type RolloutsGraded,
  RolloutsGradedSchema,
  type RolloutsSubmitted,
  RolloutsSubmittedSchema,
} from '@tidemark/proto';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { z } from 'zod';
import type { EventBatch, JobKind, JobWorker, LeasedJob, StageTransaction } from '../api.ts';
import { defineService } from '../define-service.ts';
import { InjectConfig } from '../injectables.ts';
import { OnEvent } from '../on-event.ts';
import { Worker } from '../worker.ts';

/** Turned by specs: what a job does, and what happened. */
export const gradeState: {
  run: (job: LeasedJob<string>, signal: AbortSignal) => Promise<string>;
  runs: string[];
} = { run: async ({ payload }) => payload, runs: [] };

export const gradeJob: JobKind<string> = {
  name: 'grade',
  encode: (group) => Buffer.from(group),
  decode: (bytes) => Buffer.from(bytes).toString(),
  leaseMs: 600,
};

const gradeConfig = z.object({ maxOpenJobs: z.coerce.number().default(20) });
type GradeConfig = z.output<typeof gradeConfig>;

class Graded1750000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE TABLE graded (group_id text NOT NULL, outcome text NOT NULL)');
  }
  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE graded');
  }
}

/** `rollouts.submitted` becomes one job a group. */
@Controller()
class OnRolloutsSubmitted {
  @OnEvent(topics.rolloutsSubmitted, { feeds: [gradeJob], maxBatchRecords: 10 })
  async handle(batch: EventBatch<RolloutsSubmitted>, tx: StageTransaction): Promise<void> {
    const jobs = batch.events.map((event) => {
      const group = event.value.group?.groupId ?? '';
      return { key: group, payload: group, cause: event, origin: event, priority: group.startsWith('urgent') ? 1 : 0 };
    });
    await tx.enqueue(gradeJob, jobs);
  }
}

@Worker()
class GradeWorker implements JobWorker<string, string> {
  readonly kind = gradeJob;
  readonly concurrency = 4;
  readonly bound;

  constructor(@InjectConfig() config: GradeConfig) {
    this.bound = config.maxOpenJobs;
  }

  run(job: LeasedJob<string>, signal: AbortSignal): Promise<string> {
    gradeState.runs.push(job.key);
    return gradeState.run(job, signal);
  }

  async complete(tx: StageTransaction, job: LeasedJob<string>, outcome: string): Promise<void> {
    await tx.query('INSERT INTO graded VALUES ($1, $2)', [job.key, outcome]);
    tx.publish(job, topics.rolloutsGraded, graded(job.payload));
  }

  async fail(tx: StageTransaction, job: LeasedJob<string>, error: Error): Promise<void> {
    await tx.query('INSERT INTO graded VALUES ($1, $2)', [job.key, `failed: ${error.message}`]);
    if (job.origin) await tx.layAside(job.origin, 'hopeless', error.message, job.attempt);
  }
}

@Module({ controllers: [OnRolloutsSubmitted], providers: [GradeWorker] })
class GradeModule {}

/** Consumes groups, works on them outside of transactions, publishes on a topic without revisions. */
export const gradeStage = defineService({
  name: 'execute',
  configSchema: gradeConfig,
  module: GradeModule,
  migrations: [Graded1750000000000],
  topics: [topics.rolloutsSubmitted, topics.rolloutsGraded, topics.commandsCompleted],
});

class Counted1750000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE TABLE counted (group_id text PRIMARY KEY, times integer NOT NULL)');
  }
  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE counted');
  }
}

@Controller()
class OnRolloutsGraded {
  @OnEvent(topics.rolloutsGraded)
  async handle(batch: EventBatch<RolloutsGraded>, tx: StageTransaction): Promise<void> {
    for (const { value } of batch) {
      await tx.query(
        'INSERT INTO counted AS c VALUES ($1, 1) ON CONFLICT (group_id) DO UPDATE SET times = c.times + 1',
        [value.group?.groupId],
      );
    }
  }
}

@Module({ controllers: [OnRolloutsGraded] })
class CountModule {}

/** Counts what it is given, without looking whether it knows it. */
export const countStage = defineService({
  name: 'calibrate',
  configSchema: z.object({}),
  module: CountModule,
  migrations: [Counted1750000000000],
  topics: [topics.rolloutsGraded, topics.commandsCompleted],
});

export const submitted = (groupId: string): RolloutsSubmitted =>
  create(RolloutsSubmittedSchema, { group: { groupId, target: 't', problemId: `of-${groupId}` } });

export const graded = (groupId: string): RolloutsGraded =>
  create(RolloutsGradedSchema, { group: { groupId, target: 't', problemId: `of-${groupId}` } });

import { topics } from '@tidemark/event-log';
import { defineService } from '@tidemark/stage-runtime';
import { migrations } from './postgres/migrations.ts';
import { scoreConfigSchema } from './score.config.ts';
import { ScoreModule } from './score.module.ts';

/** How hard each verified problem is thought to be, before anyone has tried it. */
export const scoreService = defineService({
  name: 'score',
  configSchema: scoreConfigSchema,
  module: ScoreModule,
  migrations,
  topics: [topics.problemsVerified, topics.problemsWithdrawn, topics.problemsScored, topics.problemsStatus],
});

import { topics } from '@tidemark/event-log';
import { defineService } from '@tidemark/stage-runtime';
import { normalizeConfig } from './normalize.config.ts';
import { NormalizeModule } from './normalize.module.ts';
import { migrations } from './postgres/migrations.ts';

/** Cleans problems, and gives their tests one explicit form. */
export const normalizeService = defineService({
  name: 'normalize',
  configSchema: normalizeConfig,
  module: NormalizeModule,
  migrations,
  topics: [topics.problemsRaw, topics.problemsNormalized, topics.problemsStatus, topics.problemsWithdrawn],
});

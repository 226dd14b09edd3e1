import { topics } from '@tidemark/event-log';
import { defineService } from '@tidemark/stage-runtime';
import { dedupConfig } from './dedup.config.ts';
import { DedupModule } from './dedup.module.ts';
import { migrations } from './postgres/migrations.ts';

/** Lets one problem represent its duplicates, keeps benchmarks out, and draws the side of the exam. */
export const dedupService = defineService({
  name: 'dedup',
  configSchema: dedupConfig,
  module: DedupModule,
  migrations,
  topics: [
    topics.problemsNormalized,
    topics.problemsUnique,
    topics.problemsStatus,
    topics.problemsWithdrawn,
    topics.benchmarksChanged,
  ],
});

import { topics } from '@tidemark/event-log';
import { defineService } from '@tidemark/stage-runtime';
import { ingestConfig } from './ingest.config.ts';
import { IngestModule } from './ingest.module.ts';
import { migrations } from './postgres/migrations.ts';

export { toTestSuite } from './on-problem-intake/to-test-suite.ts';

/** Reads what is offered from outside, and stamps it with its identity. */
export const ingestService = defineService({
  name: 'ingest',
  configSchema: ingestConfig,
  module: IngestModule,
  migrations,
  topics: [
    topics.problemsIntake,
    topics.problemsRaw,
    topics.problemsStatus,
    topics.problemsWithdrawn,
    topics.rolloutsIntake,
    topics.rolloutsSubmitted,
    topics.rolloutsGraded,
    topics.targetsDeclared,
    topics.checkpointsAdvanced,
  ],
});

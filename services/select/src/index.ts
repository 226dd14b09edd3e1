import { topics } from '@tidemark/event-log';
import { defineService } from '@tidemark/stage-runtime';
import { migrations } from './postgres/migrations.ts';
import { selectConfig } from './select.config.ts';
import { SelectModule } from './select.module.ts';

/** Keeps, for each target, the problems at its edge. */
export const selectService = defineService({
  name: 'select',
  configSchema: selectConfig,
  module: SelectModule,
  migrations,
  topics: [
    topics.problemsUnique,
    topics.problemsVerified,
    topics.problemsScored,
    topics.problemsWithdrawn,
    topics.targetsDeclared,
    topics.checkpointsAdvanced,
    topics.calibrationsPublished,
    topics.panelsDrawn,
    topics.difficultyEstimated,
    topics.rolloutsGraded,
  ],
});

import { topics } from '@tidemark/event-log';
import { defineService } from '@tidemark/stage-runtime';
import { calibrateConfigSchema } from './calibrate.config.ts';
import { CalibrateModule } from './calibrate.module.ts';
import { migrations } from './postgres/migrations.ts';

/** How hard each problem is for each target, from what its rollouts came to. */
export const calibrateService = defineService({
  name: 'calibrate',
  configSchema: calibrateConfigSchema,
  module: CalibrateModule,
  migrations,
  topics: [
    topics.problemsUnique,
    topics.problemsVerified,
    topics.problemsScored,
    topics.problemsWithdrawn,
    topics.suitesChanged,
    topics.targetsDeclared,
    topics.checkpointsAdvanced,
    topics.panelsDrawn,
    topics.rolloutsRequested,
    topics.rolloutsGraded,
    topics.calibrationsPublished,
    topics.evaluationsRecorded,
    topics.difficultyEstimated,
    topics.heldoutEvaluated,
    topics.commandsRequested,
    topics.commandsCompleted,
  ],
});

import { topics } from '@tidemark/event-log';
import { defineService } from '@tidemark/stage-runtime';
import { migrations } from './postgres/migrations.ts';
import { sampleConfigSchema } from './sample.config.ts';
import { SampleModule } from './sample.module.ts';

/** Asks a target's endpoint for the attempts that were requested. Holds the endpoints' tokens and the network. */
export const sampleService = defineService({
  name: 'sample',
  configSchema: sampleConfigSchema,
  module: (config) => SampleModule.of(config),
  migrations,
  forgetting: ['DELETE FROM answer WHERE request_id IN (SELECT request_id FROM request WHERE problem_id = $1)'],
  topics: [
    topics.problemsVerified,
    topics.problemsWithdrawn,
    topics.targetsDeclared,
    topics.rolloutsRequested,
    topics.rolloutsSubmitted,
  ],
});

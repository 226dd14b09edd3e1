import { topics } from '@tidemark/event-log';
import { defineService } from '@tidemark/stage-runtime';
import { gatewayConfigSchema } from './gateway.config.ts';
import { GatewayModule } from './gateway.module.ts';
import { migrations } from './postgres/migrations.ts';

export { type AskableService, ServiceDirectory } from './status/service-directory.ts';

/** Everything that has a name of its own: the door takes in and answers about all of it. */
const fixedTopics = Object.values(topics);

/** The gateway: HTTP for producers, trainers and operators, and the read model behind it. */
export const gatewayService = defineService({
  name: 'gateway',
  configSchema: gatewayConfigSchema,
  module: GatewayModule,
  migrations,
  topics: fixedTopics,
  authenticates: true,
});

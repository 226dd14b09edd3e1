import { topics } from '@tidemark/event-log';
import { defineService } from '@tidemark/stage-runtime';
import { ConsoleTables1764534000000 } from './console/kept/console-tables.ts';
import { gatewayConfigSchema } from './gateway.config.ts';
import { GatewayModule } from './gateway.module.ts';
import { DeadLetterStates1764530000000 } from './postgres/dead-letter-states.ts';
import { ReadModelTables1764522000000 } from './postgres/read-model-tables.ts';

export { type AskableService, ServiceDirectory } from './status/service-directory.ts';

/** Everything that has a name of its own: the door takes in and answers about all of it. */
const fixedTopics = Object.values(topics);

/** The gateway: HTTP for producers, trainers and operators, and the read model behind it. */
export const gatewayService = defineService({
  name: 'gateway',
  configSchema: gatewayConfigSchema,
  module: GatewayModule,
  migrations: [ReadModelTables1764522000000, DeadLetterStates1764530000000, ConsoleTables1764534000000],
  topics: fixedTopics,
  authenticates: true,
});

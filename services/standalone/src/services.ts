import { calibrateService } from '@tidemark/calibrate';
import { dedupService } from '@tidemark/dedup';
import { executeService } from '@tidemark/execute';
import { gatewayService } from '@tidemark/gateway';
import { ingestService } from '@tidemark/ingest';
import { normalizeService } from '@tidemark/normalize';
import { sampleService } from '@tidemark/sample';
import { scoreService } from '@tidemark/score';
import { selectService } from '@tidemark/select';
import { type RunningService, type RunOptions, runService, type ServiceDefinition } from '@tidemark/stage-runtime';
import type { z } from 'zod';

/** A service that can be started in this process. */
export interface StartableService {
  readonly name: string;
  readonly configSchema: z.ZodObject;
  start(options: RunOptions): Promise<RunningService>;
}

const startable = <Schema extends z.ZodObject>(definition: ServiceDefinition<Schema>): StartableService => ({
  name: definition.name,
  configSchema: definition.configSchema,
  start: (options) => runService(definition, options),
});

/** Every service, in the order of the flow; the door opens last and closes first. */
export const services: readonly StartableService[] = [
  startable(ingestService),
  startable(normalizeService),
  startable(dedupService),
  startable(executeService),
  startable(scoreService),
  startable(calibrateService),
  startable(selectService),
  startable(sampleService),
  startable(gatewayService),
];

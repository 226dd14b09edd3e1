import type { z } from 'zod';
import type { ServiceDefinition } from './define-service.ts';
import { startStage } from './start-stage.ts';
import type { RunOptions, RunningService } from './running-service.ts';

/** Starts a service: configuration, migrations, topics, relay, consumers, workers, timers, HTTP, in that order. */
export function runService<Schema extends z.ZodObject>(
  definition: ServiceDefinition<Schema>,
  options: RunOptions,
): Promise<RunningService> {
  return startStage(definition, options);
}

import type { z } from 'zod';
import { aloneConfigSchema } from './config/alone-config.ts';
import { openLog } from './open-log.ts';
import { ConfigError, configFaults, parseConfig, unknownVariables } from './config/parse-config.ts';
import type { ServiceDefinition } from './define-service.ts';
import { createLogger } from './observe/logger.ts';
import { MetricsRegistry } from './observe/metrics-registry.ts';
import { openTracing } from './observe/tracing.ts';
import { runService } from './run-service.ts';
import { whileAway } from './while-away.ts';

/** Signals within this time of the first are the same wish to stop. */
const SAME_SIGNAL_MS = 1_000;

/**
 * `main.ts` of a service that runs alone: log, database and addresses from the environment (see `aloneConfigSchema`);
 * SIGTERM and SIGINT stop it gracefully, a second one at once. What is wrong at start is named in words (every setting
 * that is, at once), and exit code 1.
 */
export async function runAlone<Schema extends z.ZodObject>(definition: ServiceDefinition<Schema>): Promise<void> {
  try {
    await start(definition);
  } catch (error) {
    process.stderr.write(`tidemark ${definition.name}: ${error instanceof Error ? error.message : String(error)}\n`);
    if (error instanceof ConfigError)
      process.stderr.write(`"tidemark config ${definition.name}" lists every setting.\n`);
    process.exit(1);
  }
}

async function start<Schema extends z.ZodObject>(definition: ServiceDefinition<Schema>): Promise<void> {
  const stopBy = onSignals();
  const { name, configSchema } = definition;
  const faults = [
    ...configFaults(aloneConfigSchema, '', process.env),
    ...configFaults(configSchema, name, process.env),
  ];
  if (faults.length > 0) throw new ConfigError(faults);
  const config = parseConfig(aloneConfigSchema, '', process.env);
  for (const variable of unknownVariables(configSchema, name, process.env)) {
    process.stderr.write(`tidemark ${name}: ${variable} is no setting of ${name}; it is left aside\n`);
  }
  const logger = createLogger('event-log', config.logLevel);
  const log = await whileAway(() => openLog(config, logger));
  const tracing = await openTracing(name, (message) => logger.warn({ reason: message }, 'traces cannot be sent'));
  const metrics = new MetricsRegistry();
  metrics.collectProcessMetrics();
  const service = await runService(definition, {
    metrics,
    ...(tracing !== undefined && { tracing }),
    environment: config.environment,
    log,
    databaseUrl: config.databaseUrl,
    poolSize: config.poolSize,
    blobFolder: config.blobFolder,
    partitions: config.partitions,
    logLevel: config.logLevel,
    restored: config.restored,
    ...(config.advertisedAddress === undefined ? {} : { advertisedAddress: config.advertisedAddress }),
    http: {
      host: config.httpHost,
      port: config.httpPort,
      ...(config.accessToken === undefined ? {} : { accessToken: config.accessToken }),
    },
  });
  stopBy(async () => {
    await service.stop();
    await log.close();
    await tracing?.close();
  });
}

/**
 * Sees to SIGTERM and SIGINT from now on: before there is anything to stop they end the process at once, afterwards in
 * order, and a second one does not wait for that.
 *
 * @returns takes what stops the service
 */
function onSignals(): (stop: () => Promise<void>) => void {
  let stop: (() => Promise<void>) | undefined;
  let stoppingSince: number | undefined;
  const onSignal = () => {
    // Of one Ctrl-C the terminal tells every process of its group, and npm passes it on once more.
    if (stoppingSince !== undefined && performance.now() - stoppingSince > SAME_SIGNAL_MS) process.exit(130);
    if (stoppingSince !== undefined) return;
    stoppingSince = performance.now();
    if (stop === undefined) process.exit(0);
    void stop().finally(() => process.exit(0));
  };
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
  return (given) => {
    stop = given;
  };
}

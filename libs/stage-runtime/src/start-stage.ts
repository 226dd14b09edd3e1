import 'reflect-metadata';
import type { z } from 'zod';
import { assemble, DEFAULT_POOL_SIZE, type InnerOptions } from './assemble.ts';
import { parseConfig } from './config/parse-config.ts';
import { createDataSource } from './database/data-source.ts';
import { migrate } from './database/migrate.ts';
import type { ServiceDefinition } from './define-service.ts';
import { assertAccess, guardByToken, listen } from './http/serve.ts';
import { createLogger, errorFields } from './observe/logger.ts';
import type { RunOptions } from './running-service.ts';
import { Stage, type StageEngine } from './stage.ts';
import { raiseRevisionsToLog } from './upkeep/raise-to-log.ts';
import { whileAway } from './while-away.ts';

/** Starts a service: configuration, migrations, module, topics, relay, consumers, workers, timers, HTTP, in that order. */
export async function startStage<Schema extends z.ZodObject>(
  definition: ServiceDefinition<Schema>,
  options: RunOptions & InnerOptions,
): Promise<Stage> {
  const config = parseConfig(definition.configSchema, definition.name, options.env ?? process.env);
  if (options.http !== undefined) assertAccess(options.http);
  const logger = createLogger(definition.name, options.logLevel ?? 'info', options.logFile);
  const dataSource = createDataSource({
    databaseUrl: options.databaseUrl,
    schema: definition.name,
    poolSize: options.poolSize ?? DEFAULT_POOL_SIZE,
    migrations: definition.migrations,
    onIdleError: (error) => logger.warn(errorFields(error), 'a database connection was lost'),
  });
  await whileAway(() => dataSource.initialize());
  const { engine, tell } = await migrate({
    databaseUrl: options.databaseUrl,
    schema: definition.name,
    migrations: definition.migrations,
    onWait: ({ attempt, waitMs, error }) =>
      logger.warn({ attempt, waitMs, ...errorFields(error) }, 'migrations wait for others on the database'),
  })
    .then(() => assemble(definition, options, config, dataSource, logger))
    .catch(async (error: unknown) => {
      await dataSource.destroy().catch(() => undefined);
      throw error;
    });
  const stage = new Stage(engine);
  try {
    if (options.restored === true) {
      const keys = await raiseRevisionsToLog(engine.parts.transactions, options.log, definition.name);
      logger.warn({ keys }, 'revisions were raised to those that the log holds');
    }
    stage.address = await setInMotion(definition, options, engine);
  } catch (error) {
    // Some of it may be in motion already, and would keep the process alive.
    await stage.stop();
    throw error;
  }
  tell(stage);
  engine.parts.board.clear('start');
  logger.info({ address: stage.address }, 'ready');
  return stage;
}

/** @returns the address of HTTP, where it is served */
async function setInMotion(
  { authenticates }: Pick<ServiceDefinition, 'authenticates'>,
  { http }: RunOptions,
  { app, leases, relay, pools, timers }: StageEngine,
): Promise<string | undefined> {
  if (authenticates !== true) guardByToken(app, http?.accessToken);
  await app.init();
  leases.start();
  relay.start();
  // First: while the log is waited for, the probes say so.
  const address = http === undefined ? undefined : await listen(app, http);
  await app.startAllMicroservices();
  for (const part of [...pools, ...timers]) part.start();
  return address;
}

import { BundledPostgresError, freePort } from '@tidemark/bundled-postgres';
import { type EventLog, openEmbeddedEventLog, openKafkaEventLog } from '@tidemark/event-log';
import { ServiceDirectory } from '@tidemark/gateway';
import { ConfigError, configFaults, MetricsRegistry, openTracing, type RunningService } from '@tidemark/stage-runtime';
import { type DataFolder, DataFolderError, openDataFolder } from './data-folder.ts';
import { type Database, openDatabase } from './open-database.ts';
import { isFree } from './is-free.ts';
import { services } from './services.ts';
import { processVariables } from './standalone.config.ts';

export interface StandaloneOptions {
  /** Where everything is kept; made when missing. Without it the first of `defaultFolders` that PostgreSQL can use. */
  readonly dataFolder?: string;
  readonly defaultFolders: readonly string[];
  /** Address of the gateway. On any other than loopback an access token is required. */
  readonly host: string;
  /** Port of the gateway; 0 takes a free one. */
  readonly port: number;
  readonly accessToken?: string;
  /** A PostgreSQL of the user's own; without it the bundled one runs on the data folder. */
  readonly databaseUrl?: string;
  /** Brokers as host:port; without them the log is kept in PostgreSQL. */
  readonly kafkaBrokers?: readonly string[];
  /** Copies of each partition of topics that are created, 1 or more; fixed from then on. Default 1: one broker. */
  readonly kafkaReplication?: number;
  /** Variables of the services' own settings (`TIDEMARK_<SERVICE>_…`). Default: those of the process. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** `OTEL_*` variables. Default: those of the process. */
  readonly tracingEnv?: Readonly<Record<string, string | undefined>>;
  readonly logLevel: string;
}

/** All services in this process. */
export interface Standalone {
  /** The gateway's address. */
  readonly url: string;
  readonly folder: DataFolder;
  readonly services: readonly RunningService[];
  /** True when a PostgreSQL that an earlier run left behind was taken over. */
  readonly adoptedDatabase: boolean;
  /** Closes the door, finishes what is in hand, stops the bundled database. Idempotent. */
  stop(): Promise<void>;
}

/** Starts everything, in the order of the flow. What was started is stopped again when a later part can't start. */
export async function startStandalone(options: StandaloneOptions): Promise<Standalone> {
  const closers: (() => Promise<void>)[] = [];
  let closing: Promise<void> | undefined;
  const close = () => (closing ??= closeAll(closers));
  try {
    const { folder, database } = await openStores(options);
    closers.push(() => database.close());
    const log = await openLog(options, database);
    closers.push(() => log.close());
    const running = await startServices(options, folder, database, log, closers);
    const gateway = running.find(({ name }) => name === 'gateway');
    if (gateway?.address === undefined) throw new Error('the gateway serves no address');
    const directory = gateway.get(ServiceDirectory);
    for (const service of running) if (service !== gateway) directory.register(service);
    return { url: gateway.address, folder, services: running, adoptedDatabase: database.adopted, stop: close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** In reverse order; what fails keeps the others from nothing. @throws the first failure, when all are closed */
async function closeAll(closers: readonly (() => Promise<void>)[]): Promise<void> {
  const failures: unknown[] = [];
  for (const closer of closers.toReversed()) await closer().catch((error: unknown) => failures.push(error));
  if (failures.length > 0) throw failures[0];
}

async function startServices(
  options: StandaloneOptions,
  folder: DataFolder,
  database: Database,
  log: EventLog,
  closers: (() => Promise<void>)[],
): Promise<RunningService[]> {
  const { host, port, accessToken, logLevel } = options;
  const selectPort = await freePort();
  // Behind HTTP's, where it is free and nothing else was said.
  const grpcPort = port > 0 && (await isFree(host, port + 1)) ? port + 1 : 0;
  const env = {
    TIDEMARK_GATEWAY_MAC_SECRET: folder.gatewaySecret,
    TIDEMARK_INGEST_GATEWAY_SECRET: folder.gatewaySecret,
    TIDEMARK_SELECT_GRPC_PORT: String(selectPort),
    TIDEMARK_GATEWAY_SELECT_ADDRESS: `127.0.0.1:${selectPort}`,
    TIDEMARK_GATEWAY_GRPC_HOST: host,
    TIDEMARK_GATEWAY_GRPC_PORT: String(grpcPort),
    ...(options.env ?? processVariables()),
  };
  const faults = services.flatMap(({ name, configSchema }) => configFaults(configSchema, name, env));
  if (faults.length > 0) throw new ConfigError(faults);
  const metrics = new MetricsRegistry();
  metrics.collectProcessMetrics();
  const running: RunningService[] = [];
  for (const service of services) {
    const tracing = await openTracing(service.name, undefined, options.tracingEnv);
    closers.push(async () => tracing?.close());
    const started = await service.start({
      environment: 'local',
      ...(tracing !== undefined && { tracing }),
      metrics,
      log,
      databaseUrl: database.url,
      blobFolder: folder.blobs,
      logLevel,
      logFile: folder.logFile,
      env,
      ...(service.name === 'gateway' && { http: { host, port, ...(accessToken !== undefined && { accessToken }) } }),
    });
    running.push(started);
    closers.push(() => started.stop());
  }
  return running;
}

async function openStores(options: StandaloneOptions): Promise<{ folder: DataFolder; database: Database }> {
  const roots = options.dataFolder === undefined ? options.defaultFolders : [options.dataFolder];
  for (const [index, root] of roots.entries()) {
    try {
      const folder = openDataFolder(root);
      return { folder, database: await openDatabase({ url: options.databaseUrl, folder: folder.postgres }) };
    } catch (error) {
      // A folder that can't be written, or a home that others may not enter, started as root: the next one will do.
      const closed =
        error instanceof DataFolderError ||
        (error instanceof BundledPostgresError && error.code === 'postgres.folder_unreadable');
      if (!closed || index === roots.length - 1) throw error;
    }
  }
  throw new Error('no data folder was named');
}

async function openLog(
  { kafkaBrokers, kafkaReplication = 1 }: StandaloneOptions,
  database: Database,
): Promise<EventLog> {
  return kafkaBrokers === undefined
    ? await openEmbeddedEventLog({ connection: { connectionString: database.url } })
    : openKafkaEventLog({
        brokers: kafkaBrokers,
        replicationFactor: kafkaReplication,
        minInsyncReplicas: Math.min(2, kafkaReplication),
      });
}

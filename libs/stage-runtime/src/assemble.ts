import { randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import type { DynamicModule, Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { FolderBlobStore } from '@tidemark/blob-store';
import type { Logger } from 'pino';
import type { DataSource } from 'typeorm';
import type { z } from 'zod';
import type { JobWorker } from './api.ts';
import type { BackoffOptions } from './backoff.ts';
import { PooledStageDatabase } from './database/pooled-stage-database.ts';
import { Transactions } from './database/transactions.ts';
import type { ServiceDefinition } from './define-service.ts';
import { discover } from './discover.ts';
import { ensureTopics } from './ensure-topics.ts';
import { LateStatus } from './http/late-status.ts';
import { JobBounds } from './jobs/job-bounds.ts';
import { JobPool } from './jobs/job-pool.ts';
import { TableLeaseKeeper } from './leases/table-lease-keeper.ts';
import type { MomentListener } from './moments.ts';
import { errorFields, NestLogger } from './observe/logger.ts';
import { ConsumerProgress } from './observe/consumer-progress.ts';
import { MetricsRegistry } from './observe/metrics-registry.ts';
import { ReadinessBoard } from './observe/readiness-board.ts';
import { RuntimeMetrics } from './observe/runtime-metrics.ts';
import { sampleBacklog } from './observe/sample-backlog.ts';
import { OutboxBell } from './relay/outbox-bell.ts';
import { Relay } from './relay/relay.ts';
import type { RunOptions } from './running-service.ts';
import type { Stage, StageEngine } from './stage.ts';
import { StageModule } from './stage-module.ts';
import type { StageParts } from './stage-parts.ts';
import { forgetSeenEvents } from './timers/forget-seen-events.ts';
import { TimerLoop } from './timers/timer-loop.ts';
import { upkeepWorker } from './upkeep/upkeep-worker.ts';
import { EventLogTransport } from './transport/event-log-transport.ts';

/** What specs turn, beside the options that are open to all. */
export interface InnerOptions {
  readonly reached?: MomentListener;
  /** Life of a lease (relay, targets), in ms. Default 6,000. */
  readonly leaseMs?: number;
  readonly sessionTimeoutMs?: number;
  /** How often a relay looks for rows that nobody rang for, in ms. Default 1,000. */
  readonly relayPollMs?: number;
  readonly backoff?: BackoffOptions;
}

const DEFAULT_BACKOFF = { firstMs: 200, maxMs: 30_000 };
/** Connections to PostgreSQL of one service. */
export const DEFAULT_POOL_SIZE = 6;
const DEFAULT_BODY_LIMIT_BYTES = 1024 * 1024;

/** Puts a service together; nothing moves yet. */
export async function assemble<Schema extends z.ZodObject>(
  definition: ServiceDefinition<Schema>,
  options: RunOptions & InnerOptions,
  config: z.output<Schema>,
  dataSource: DataSource,
  logger: Logger,
): Promise<{ engine: StageEngine; tell: (stage: Stage) => void }> {
  const end = new AbortController();
  // Every relay, timer and session waits on it: that is no leak.
  setMaxListeners(0, end.signal);
  const reached = options.reached ?? (() => undefined);
  const transactions = new Transactions(dataSource, reached, options.poolSize ?? DEFAULT_POOL_SIZE);
  const identity = { service: definition.name, environment: options.environment, replica: randomUUID() };
  const board = new ReadinessBoard();
  const registry = options.metrics ?? new MetricsRegistry();
  const metrics = new RuntimeMetrics(registry, definition.name);
  const parts: StageParts = {
    identity,
    log: options.log,
    transactions,
    logger,
    board,
    metrics,
    progress: new ConsumerProgress(),
    tracing: options.tracing,
    reached,
    ended: end.signal,
    backoff: options.backoff ?? DEFAULT_BACKOFF,
    bounds: new JobBounds(),
    blobs: new FolderBlobStore(options.blobFolder),
    wakes: {
      relay: (shards) => relay.wake(shards),
      worker: (kind) => {
        for (const pool of pools) if (pool.kind === kind) pool.wake();
      },
    },
  };
  const leases = new TableLeaseKeeper(
    transactions,
    { owner: identity.replica, address: options.advertisedAddress ?? '' },
    options.leaseMs ?? 6_000,
    (error) => logger.warn(errorFields(error), 'leases cannot be renewed'),
  );
  const bell = new OutboxBell(options.databaseUrl, definition.name, transactions);
  const relay = new Relay(parts, leases, bell, options.relayPollMs ?? 1_000);
  const transport = new EventLogTransport(parts, options.sessionTimeoutMs, (handlers) => {
    const consumed = handlers.map(({ topic }) => topic);
    return ensureTopics(options.log, definition.name, definition.topics, consumed, options.partitions ?? 4);
  });
  const status = new LateStatus(board, registry);
  const runtime = StageModule.with({
    config,
    log: options.log,
    logger,
    leases,
    status,
    readiness: board,
    metrics,
    http: options.http,
    database: new PooledStageDatabase(transactions, parts),
    blobs: parts.blobs,
  });
  const app = await createApp(definition, [runtime, moduleOf(definition, config)], logger);
  app.connectMicroservice({ strategy: transport });
  const discovered = discover(app);
  const upkeep = upkeepWorker({
    parts,
    consumed: () => transport.consumed(),
    dependents: definition.forgetting ?? [],
  }) as JobWorker<unknown, unknown>;
  for (const worker of [...discovered.workers, upkeep]) parts.bounds.add(worker);
  const pools = discovered.workers.map((worker) => new JobPool(parts, worker));
  // It is rung for; looking now and then covers what a replica that died has left.
  pools.push(new JobPool(parts, upkeep, 5_000));
  const kinds = pools.map(({ kind }) => kind);
  registry.sampleBy(identity.replica, () => sampleBacklog(parts, transport, dataSource, kinds));
  end.signal.addEventListener('abort', () => registry.forget(identity.replica), { once: true });
  const timers = [...discovered.timers, forgetSeenEvents].map((work) => new TimerLoop(parts, work));
  return {
    engine: { parts, end, dataSource, app, transport, discovered, relay, bell, leases, pools, timers },
    tell: (stage) => status.tell(stage),
  };
}

async function createApp(
  { httpBodyLimitBytes }: Pick<ServiceDefinition, 'httpBodyLimitBytes'>,
  imports: (DynamicModule | Type)[],
  logger: Logger,
): Promise<NestFastifyApplication> {
  return await NestFactory.create<NestFastifyApplication>(
    { module: class StageRoot {}, imports },
    new FastifyAdapter({ bodyLimit: httpBodyLimitBytes ?? DEFAULT_BODY_LIMIT_BYTES }),
    { logger: new NestLogger(logger), abortOnError: false },
  );
}

type ModuleMaker<Config> = (config: Config) => DynamicModule | Type;

function moduleOf<Schema extends z.ZodObject>(
  { module }: ServiceDefinition<Schema>,
  config: z.output<Schema>,
): DynamicModule | Type {
  return isClass(module) ? module : module(config);
}

const isClass = <Config>(module: Type | ModuleMaker<Config>): module is Type =>
  /^class\b/.test(Function.prototype.toString.call(module));

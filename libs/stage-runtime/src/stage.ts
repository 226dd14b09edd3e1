import type { INestApplicationContext } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { DataSource } from 'typeorm';
import type { Activity } from './activity.ts';
import type { Discovered } from './discover.ts';
import type { JobPool } from './jobs/job-pool.ts';
import type { TableLeaseKeeper } from './leases/table-lease-keeper.ts';
import { errorFields } from './observe/logger.ts';
import { readActivity } from './read-activity.ts';
import type { OutboxBell } from './relay/outbox-bell.ts';
import type { Relay } from './relay/relay.ts';
import type { Readiness, RunningService } from './running-service.ts';
import type { StageParts } from './stage-parts.ts';
import type { TimerLoop } from './timers/timer-loop.ts';
import type { EventLogTransport } from './transport/event-log-transport.ts';

/** How long requests in hand may take to end when the service stops, in ms. */
const HTTP_GRACE_MS = 3_000;

/** The moving parts of a running service. */
export interface StageEngine {
  readonly parts: StageParts;
  readonly end: AbortController;
  readonly dataSource: DataSource;
  readonly app: NestFastifyApplication;
  readonly transport: EventLogTransport;
  readonly discovered: Discovered;
  readonly relay: Relay;
  readonly bell: OutboxBell;
  readonly leases: TableLeaseKeeper;
  readonly pools: readonly JobPool<unknown, unknown>[];
  readonly timers: readonly TimerLoop[];
}

/** A service that runs. */
export class Stage implements RunningService {
  private stopping: Promise<void> | undefined;

  address: string | undefined;

  constructor(private readonly engine: StageEngine) {}

  get name(): string {
    return this.engine.parts.identity.service;
  }

  async activity(): Promise<Activity> {
    const { parts, transport, discovered } = this.engine;
    const activity = await readActivity(parts, transport.consumed(), discovered.activitySources);
    return { ...activity, notReady: this.readiness().reasons };
  }

  readiness(): Readiness {
    return this.engine.parts.board.read();
  }

  get<T>(token: abstract new (...args: never[]) => T): T {
    const app: INestApplicationContext = this.engine.app;
    return app.get<T>(token as unknown as symbol, { strict: false });
  }

  stop(): Promise<void> {
    this.stopping ??= this.stopOnce();
    return this.stopping;
  }

  /**
   * Ends it like a crash: nothing is finished, nothing released. For specs.
   *
   * @internal
   */
  async abandon(): Promise<void> {
    const { end, transport, pools, leases, app, bell, dataSource } = this.engine;
    this.stopping = Promise.resolve();
    end.abort();
    leases.abandon();
    for (const pool of pools) pool.abandon();
    transport.close().catch(() => undefined);
    await bell.stop();
    app.getHttpServer().close();
    await dataSource.destroy().catch(() => undefined);
  }

  private async stopOnce(): Promise<void> {
    const { parts, end, transport, timers, pools, relay, bell, leases, app, dataSource } = this.engine;
    parts.board.set('stop', 'stopping');
    parts.logger.info('stopping');
    end.abort();
    // Consumers first: a batch in hand is finished, then nothing new comes in. What is in the outbox waits there.
    await this.quietly(transport.close());
    await Promise.all([...timers, ...pools].map((part) => this.quietly(part.stop())));
    await this.quietly(relay.stop());
    await this.quietly(bell.stop());
    await this.quietly(closeHttp(app));
    await this.quietly(leases.stop());
    await this.quietly(dataSource.destroy());
    parts.logger.info('stopped');
  }

  private async quietly(step: Promise<unknown>): Promise<void> {
    await step.catch((error: unknown) => this.engine.parts.logger.warn(errorFields(error), 'stopping'));
  }
}

/** A caller who never ends its request, or follows a stream, does not keep the service from ending. */
async function closeHttp(app: NestFastifyApplication): Promise<void> {
  const server = app.getHttpServer();
  const patience = setTimeout(() => server.closeAllConnections(), HTTP_GRACE_MS);
  await app.close().finally(() => clearTimeout(patience));
}

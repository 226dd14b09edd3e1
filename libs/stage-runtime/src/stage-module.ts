import { type DynamicModule, Module } from '@nestjs/common';
import { BlobStore } from '@tidemark/blob-store';
import type { EventLog } from '@tidemark/event-log';
import type { Logger } from 'pino';
import { STAGE_STATUS, type StageStatus, StatusController } from './http/status.controller.ts';
import {
  EVENT_LOG,
  type HttpOptions,
  LeaseKeeper,
  STAGE_CONFIG,
  STAGE_HTTP,
  STAGE_LOGGER,
  StageDatabase,
  StageMetrics,
  StageReadiness,
} from './injectables.ts';

/** What services can inject. */
export interface Injectables {
  readonly config: unknown;
  readonly log: EventLog;
  readonly logger: Logger;
  readonly database: StageDatabase;
  readonly leases: LeaseKeeper;
  readonly blobs: BlobStore;
  readonly readiness: StageReadiness;
  readonly metrics: StageMetrics;
  readonly status: StageStatus;
  readonly http: HttpOptions | undefined;
}

/** The runtime's own module, global in the service's application. */
@Module({})
export class StageModule {
  static with(injectables: Injectables): DynamicModule {
    const providers = [
      { provide: STAGE_CONFIG, useValue: injectables.config },
      { provide: EVENT_LOG, useValue: injectables.log },
      { provide: STAGE_LOGGER, useValue: injectables.logger },
      { provide: StageDatabase, useValue: injectables.database },
      { provide: LeaseKeeper, useValue: injectables.leases },
      { provide: BlobStore, useValue: injectables.blobs },
      { provide: StageReadiness, useValue: injectables.readiness },
      { provide: StageMetrics, useValue: injectables.metrics },
      { provide: STAGE_STATUS, useValue: injectables.status },
      { provide: STAGE_HTTP, useValue: injectables.http },
    ];
    return { module: StageModule, global: true, controllers: [StatusController], providers, exports: providers };
  }
}

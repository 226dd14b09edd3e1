import { applyDecorators, Injectable, SetMetadata } from '@nestjs/common';
import type { Waiting } from './activity.ts';

export const WORKER = Symbol('job worker');
export const REPORTS_ACTIVITY = Symbol('reports activity');

/** Marks a provider as a {@link JobWorker}: the runtime finds it in the service's module and gives it jobs. */
export const Worker = (): ClassDecorator => applyDecorators(Injectable(), SetMetadata(WORKER, true));

/** Marks a provider as an {@link ActivitySource}. */
export const ReportsActivity = (): ClassDecorator => applyDecorators(Injectable(), SetMetadata(REPORTS_ACTIVITY, true));

/** Work that a service knows of and that no queue shows, for example groups that wait for an evaluation. */
export interface ActivitySource {
  /** Counts by name; all zero when the service is quiet. Scheduled work far ahead (retests) does not belong here. */
  pendingWork(): Promise<Readonly<Record<string, number>>>;
  /** What waits for something that may never come, and for what. */
  waiting?(): Promise<readonly Waiting[]>;
}

export { type EmbeddedEventLogOptions, openEmbeddedEventLog } from './embedded/embedded-event-log.ts';
export type { MaintenanceOptions } from './embedded/maintenance.ts';
export * from './errors.ts';
export * from './headers.ts';
export { maxRecordBytes } from './limits.ts';
export type * from './port.ts';
export * from './topic.ts';
export * from './topics.ts';

export type * from './activity.ts';
export { isQuiet } from './activity.ts';
export * from './api.ts';
export * from './define-service.ts';
export { Every, type EveryOptions, type TimerTick } from './every.ts';
export * from './injectables.ts';
export { type EventHandler, OnEvent, type OnEventOptions } from './on-event.ts';
export * from './run-service.ts';
export { type ActivitySource, ReportsActivity, Worker } from './worker.ts';

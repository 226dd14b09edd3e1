export { type Activity, isQuiet, type Waiting } from './activity.ts';
export * from './api.ts';
export { type AloneConfig, aloneConfigSchema } from './config/alone-config.ts';
export { ConfigError, configFaults, parseConfig, unknownVariables, type Variables } from './config/parse-config.ts';
export { inWords, rangeOf, type Setting, settingsOf } from './config/settings.ts';
export { variableName } from './config/variable-name.ts';
export { wholeLetter } from './consume/dead-letter.ts';
export { decodeOrigin, encodeOriginBesideValue } from './consume/origin-codec.ts';
export * from './define-service.ts';
export { deadLetters, ordersSpec, topicSpec, RETENTION_MS } from './ensure-topics.ts';
export { Every, type EveryOptions, Everywhere, type TimerTick } from './every.ts';
export { classifyFault, type Fault } from './faults.ts';
export { AccessTokenMissingError, isLoopback, tokenMatches } from './http/access.ts';
export { InjectStageStatus, type StageStatus } from './http/status.controller.ts';
export {
  causeOf,
  type HttpOptions,
  InjectConfig,
  InjectEventLog,
  InjectHttpOptions,
  InjectLogger,
  LeaseKeeper,
  type LeaseOwner,
  type Gathered,
  StageDatabase,
  StageMetrics,
  StageReadiness,
  type Tally,
  type TransactionOptions,
} from './injectables.ts';
export { KeyedBackoff } from './keyed-backoff.ts';
export { createLogger } from './observe/logger.ts';
export { openTracing, type Tracing } from './observe/tracing.ts';
export { MetricsRegistry } from './observe/metrics-registry.ts';
export { type EventHandler, OnEvent, type OnEventOptions } from './on-event.ts';
export { openLog } from './open-log.ts';
export { runAlone } from './run-alone.ts';
export { UNVERIFIED } from './parking/bound-owner.ts';
export { type Parked, Parking, type ParkingTable } from './parking/parking.ts';
export { derivedEventId } from './outbox/event-ids.ts';
export type { Readiness, RunningService, RunOptions } from './running-service.ts';
export { runService } from './run-service.ts';
export { type Caused, causedBy, Withholding, withholdingTables } from './withholding.ts';
export { type ActivitySource, ReportsActivity, Worker } from './worker.ts';
export { hashesIn } from './upkeep/hash-runs.ts';
export { hashesInRecordOf, readHashes } from './upkeep/mark-blobs.ts';
export { UPKEEP_JOBS } from './upkeep/erase-problem.ts';
export { placeholderOf, problemHash, withoutForgotten } from './upkeep/forgotten.ts';

import type { EventLog } from '@tidemark/event-log';
import type { Activity } from './activity.ts';
import type { MetricsRegistry } from './observe/metrics-registry.ts';
import type { HttpOptions } from './injectables.ts';
import type { Tracing } from './observe/tracing.ts';

/** What a service needs from outside; in one process several services share the log and the database. */
export interface RunOptions {
  /** Name of the installation, part of group and writer names. */
  readonly environment: string;
  readonly log: EventLog;
  /** `postgres://…`; the service uses the schema that bears its name. */
  readonly databaseUrl: string;
  /** Variables for the service's own schema; defaults to those of the process. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Connections to PostgreSQL, at least 3, beside one for LISTEN. Default 6. */
  readonly poolSize?: number;
  /** Folder of the blob store. */
  readonly blobFolder: string;
  /** Where HTTP is served; undefined serves nothing. On other addresses than loopback a token is required. */
  readonly http?: HttpOptions;
  /** Where other replicas and services reach this one; stands beside the leases that it holds. Default empty. */
  readonly advertisedAddress?: string;
  /** Partitions of topics that are created. Default 4. */
  readonly partitions?: number;
  /** Where metrics are gathered; services of one process share it. Default: one of its own. */
  readonly metrics?: MetricsRegistry;
  /** Where traces go. Default: nowhere. */
  readonly tracing?: Tracing;
  /** The database was restored from a backup: revisions are raised to those that the log holds before anything moves. */
  readonly restored?: boolean;
  /** `silent` in specs. Default `info`. */
  readonly logLevel?: string;
  /** Where log lines are appended. Default: stdout. */
  readonly logFile?: string;
}

export interface Readiness {
  readonly ready: boolean;
  /** Why not, one sentence each. */
  readonly reasons: readonly string[];
}

/** A service that runs in this process. */
export interface RunningService {
  readonly name: string;
  /** `http://host:port`, where HTTP is served. */
  readonly address: string | undefined;
  activity(): Promise<Activity>;
  readiness(): Readiness;
  /** An instance out of the service's module. */
  get<T>(token: abstract new (...args: never[]) => T): T;
  /** Finishes the batches in hand, releases leases, closes. Idempotent. */
  stop(): Promise<void>;
}

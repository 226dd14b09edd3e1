import { Inject } from '@nestjs/common';
import type { Cause, HeldLease, Sql, StageTransaction } from './api.ts';

/** Token of the service's parsed configuration. */
export const STAGE_CONFIG = Symbol('stage config');
/** Token of the {@link EventLog}, for services that create topics or read from an offset. */
export const EVENT_LOG = Symbol('event log port');

/** Injects the service's parsed configuration. */
export const InjectConfig = (): ParameterDecorator => Inject(STAGE_CONFIG);
/** Token of the service's pino logger. */
export const STAGE_LOGGER = Symbol('stage logger');
/** Injects the service's pino logger: structured, one event a line; never a solution, a hidden test or a secret. */
export const InjectLogger = (): ParameterDecorator => Inject(STAGE_LOGGER);
/** Where the service serves HTTP, and the token that callers bear; undefined where it serves nothing. */
export type HttpOptions = { readonly host: string; readonly port: number; readonly accessToken?: string };
/** Token of the {@link HttpOptions}, for a service that checks access itself. */
export const STAGE_HTTP = Symbol('stage http');
/** Injects the {@link HttpOptions}. */
export const InjectHttpOptions = (): ParameterDecorator => Inject(STAGE_HTTP);
/** Injects the event log's port. */
export const InjectEventLog = (): ParameterDecorator => Inject(EVENT_LOG);

/**
 * What a service adds to its readiness: a dependency of its own that is not there. Injected by its class. Reasons of
 * different concerns stand side by side; the service is ready when there is none.
 */
export abstract class StageReadiness {
  /** @param reason one sentence, shown by `/readyz` */
  abstract set(concern: string, reason: string): void;
  abstract clear(concern: string): void;
}

/** Counts what happened. */
export interface Tally {
  inc(labels?: Readonly<Record<string, string>>, by?: number): void;
}

/** Shows how much there is. */
export interface GaugeOf {
  set(labels: Readonly<Record<string, string>>, value: number): void;
}

/** A value of a gauge that is looked up. */
export interface Gathered {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/**
 * Metrics of a service's own, beside the runtime's. Names are Prometheus': `tidemark_<what>_<unit>`, counters end in
 * `_total`; every one gets the label `service`. Injected by its class.
 */
export abstract class StageMetrics {
  /** Asking again for a name gives the same counter. */
  abstract counter(name: string, help: string, labels: readonly string[]): Tally;
  /** @param gather called at each scrape; by index or up to a limit, never a full scan */
  abstract gauge(
    name: string,
    help: string,
    labels: readonly string[],
    gather: () => Promise<readonly Gathered[]>,
  ): void;
}

/** The service's own schema, outside the transactions that the runtime opens. Injected by its class. */
export abstract class StageDatabase implements Sql {
  /** One statement, committed by itself: for reading. What publishes or changes state uses {@link transaction}. */
  abstract query<Row = Record<string, unknown>>(sql: string, parameters?: readonly unknown[]): Promise<Row[]>;

  /**
   * A transaction of the service's own making, for example of an HTTP request: when it resolves, state and outgoing
   * events are committed. Serialisation failures and deadlocks are tried again, so `work` may run more than once.
   *
   * @param handler stable name from which the ids of its events derive
   */
  abstract transaction<T>(
    handler: string,
    work: (tx: StageTransaction) => Promise<T>,
    options?: TransactionOptions,
  ): Promise<T>;
}

export interface TransactionOptions {
  /** `repeatable read`: everything that `work` reads belongs to one snapshot. Default `read committed`. */
  readonly isolation?: 'read committed' | 'repeatable read';
}

export interface LeaseOwner {
  readonly epoch: bigint;
  /** Where the owner can be reached, as it was started with. Empty when it serves nothing. */
  readonly address: string;
  /** True when it is this replica. */
  readonly here: boolean;
}

/** Leases of names (targets), timed by the database's clock and renewed in the background until released. */
export abstract class LeaseKeeper {
  /** Takes the lease where it is free or run out, or answers the one held here already. Undefined: another has it. */
  abstract acquire(name: string): Promise<HeldLease | undefined>;
  /** The lease as held here at last sight; {@link StageTransaction.assertLease} is what makes sure. */
  abstract held(name: string): HeldLease | undefined;
  abstract ownerOf(name: string): Promise<LeaseOwner | undefined>;
  abstract release(name: string): Promise<void>;
}

/** A cause that nothing in the log gave: an HTTP request, a command. The same id gives the same event ids. */
export const causeOf = (id: string, traceparent?: string): Cause => ({ id, traceparent });

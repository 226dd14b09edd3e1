/**
 * What a service sees of the stage runtime. A handler reads like a recipe: decode, load, decide, save, publish. Offsets,
 * fencing, revisions, event ids, retries, dead letters, tracing and metrics are the runtime's, once.
 */
import type { DescMessage, MessageShape } from '@bufbuild/protobuf';
import type { Headers, LogRecord, TopicDefinition } from '@tidemark/event-log';

/** What the runtime needs of a topic whose messages it does not look into: any definition will do. */
export type AnyTopic = Omit<TopicDefinition, 'key'>;

/** What events and timers derive new event ids from: the same cause gives the same ids when the work is repeated. */
export interface Cause {
  /** Id of the consumed event, `<kind>/<key>/<id of its own cause>` of a job, or `<timer>/<key>/<tick>`. */
  readonly id: string;
  /** W3C trace context to carry on. */
  readonly traceparent: string | undefined;
}

/** A consumed record as it was read: kept with what waits or is worked on, so that it can be laid aside unchanged. */
export interface Origin extends Cause {
  readonly record: LogRecord;
  /** Undefined on topics without revisions. */
  readonly revision: bigint | undefined;
  /** Times it was laid aside and replayed. */
  readonly replays: number;
}

/** One decoded event. */
export interface StageEvent<T> extends Origin {
  readonly key: string;
  readonly value: T;
  readonly topic: string;
  readonly partition: number;
  readonly offset: bigint;
  /** When the log took the record, or the sender's time, in ms since 1970. */
  readonly timestampMs: number;
  readonly headers: Headers;
}

/** A key that a tombstone removed. */
export type RemovedKey = Omit<StageEvent<null>, 'value'>;

/**
 * A batch of one partition, in order. On revisioned topics it holds the newest event of each key alone, and nothing
 * that this service already handled at that revision or a higher one.
 */
export interface EventBatch<T> extends Iterable<StageEvent<T>> {
  readonly events: readonly StageEvent<T>[];
  /** Tombstones; their keys are not among `events`. */
  readonly removed: readonly RemovedKey[];
}

/** Publishing, part of every transaction: rows of the outbox, written with the state they speak of. */
export interface Publisher {
  /**
   * Key, event id, headers and revision are filled in by the runtime.
   *
   * @param key on topics whose definition has none (any key is taken there): events of one key stay in order
   */
  publish<D extends DescMessage>(cause: Cause, topic: TopicDefinition<D>, message: MessageShape<D>, key?: string): void;
  /** Removes a key from a compacted topic. */
  publishTombstone(cause: Cause, topic: AnyTopic, key: string): void;
}

/** SQL in the transaction at hand. `search_path` is the service's own schema. */
export interface Sql {
  /**
   * @returns the rows (of `RETURNING` too); `bigint` columns and counts as bigint, `bytea` as Buffer, `timestamptz` as
   * Date, `numeric` as text. Parameters are `$1` …; arrays go with `unnest($1::text[])`.
   */
  query<Row = Record<string, unknown>>(sql: string, parameters?: readonly unknown[]): Promise<Row[]>;
}

/**
 * The transaction of a batch, a job's completion, a timer's tick or a command: state, outgoing events, jobs and offset
 * become visible together or not at all.
 */
export interface StageTransaction extends Sql, Publisher {
  /** Jobs are found again by (kind, key): adding one that is there changes nothing. */
  enqueue<P>(kind: JobKind<P>, jobs: readonly NewJob<P>[]): Promise<void>;
  /**
   * Puts a record that was consumed before (one that waited, or became a job) into the dead letters, unchanged. It does
   * not count as handled any more, so that it can be replayed.
   *
   * @param code stable error code
   * @param attempts times that it was tried. Default 1
   */
  layAside(origin: Origin, code: string, message: string, attempts?: number): Promise<void>;
  /**
   * Handles records again that were consumed before and waited, as if they were read now: ids of what follows from them
   * derive from the topic's handler, so that a record that waited leads to the same ids as one that is replayed. A
   * record at fault is laid aside, and what was done for it undone; the others go on.
   *
   * @param handle all or nothing for the records that it is given; called again with fewer of them after a fault
   * @returns those that were laid aside
   */
  takeUp<O extends Origin>(
    topic: Pick<AnyTopic, 'name'>,
    records: readonly O[],
    handle: (tx: StageTransaction, some: readonly O[]) => Promise<void>,
  ): Promise<readonly O[]>;
  /** How many more jobs of a kind may be open. What adds jobs outside of a consumed topic's batch asks before it does. */
  jobRoom(kind: Pick<JobKind<unknown>, 'name'>): Promise<number>;
  /** Throws {@link LeaseLostError} when the lease is no longer held with that epoch: the whole transaction rolls back. */
  assertLease(lease: HeldLease): Promise<void>;
  /**
   * How far this service has come on a topic: the stored `next` of each partition, as this transaction's snapshot sees
   * it. Undefined before the topic's first session.
   */
  storedOffsets(topic: Pick<AnyTopic, 'name'>): Promise<StoredOffsets | undefined>;
  /** Run after commit, for in-memory caches and wake-ups; never for what must not be lost. */
  afterCommit(action: () => void): void;
}

/** The stored offsets of one topic, in the topic's present life. */
export interface StoredOffsets {
  readonly incarnation: string;
  /** By partition, rising. */
  readonly positions: readonly { readonly partition: number; readonly next: bigint }[];
}

/** Long work outside any transaction: sandbox runs, calls to models. */
export interface JobKind<P> {
  readonly name: string;
  readonly encode: (payload: P) => Uint8Array;
  /** @param origin as it was given with the job */
  readonly decode: (bytes: Uint8Array, origin: Origin | undefined) => P;
  /** A worker that says nothing for this long loses the job, in ms. */
  readonly leaseMs: number;
}

export interface NewJob<P> {
  readonly key: string;
  readonly payload: P;
  /** Cause of what the job will publish. */
  readonly cause: Cause;
  /** The record that the job works on, kept whole with it: what {@link JobWorker.fail} lays aside. */
  readonly origin?: Origin | undefined;
  /** Higher first. Default 0. */
  readonly priority?: number;
  /** Not before this many ms from now (database clock). Default 0. */
  readonly delayMs?: number;
}

export interface LeasedJob<P> extends Cause {
  readonly kind: string;
  readonly key: string;
  readonly payload: P;
  /** The record that it works on, where it was added with one. */
  readonly origin: Origin | undefined;
  /** 1 on the first try. */
  readonly attempt: number;
}

/**
 * Works on jobs of one kind. `run` happens outside a transaction and may be repeated after a crash; `complete` happens
 * in the one transaction that also removes the job, fenced by its lease. Provided in the service's module.
 */
export interface JobWorker<P, R> {
  readonly kind: JobKind<P>;
  /** Jobs in hand at once in this process. */
  readonly concurrency: number;
  /** Consumption that feeds the kind (`@OnEvent(…, { feeds })`) pauses at this many open jobs. Default 2,000. */
  readonly bound?: number;
  run(job: LeasedJob<P>, signal: AbortSignal): Promise<R>;
  complete(tx: StageTransaction, job: LeasedJob<P>, result: R): Promise<void>;
  /**
   * Called in place of `complete` when `run` threw a {@link RecordFault}, or anything else `maxAttempts` times: say in
   * the state and the status what became of it. A {@link DependencyFault} is retried without a cap instead, and a
   * worker that died is not the job's fault until it has happened 25 times.
   */
  fail(tx: StageTransaction, job: LeasedJob<P>, error: Error): Promise<void>;
  /** Default 3. */
  readonly maxAttempts?: number;
}

/** A lease of a name (for example a target) held by this replica, with the epoch that every write under it checks. */
export interface HeldLease {
  readonly name: string;
  readonly epoch: bigint;
}

/** The record is at fault: it goes to the dead letters with its bytes, and the partition moves on. */
export class RecordFault extends Error {
  constructor(
    /** Stable code, for example `undecodable` or `unknown_problem`. */
    readonly code: string,
    message: string,
    /** The event at fault, where the handler knows it; without it the batch is bisected. */
    readonly event?: Cause,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = 'RecordFault';
  }
}

/** A dependency (database, broker, blob store, endpoint) is at fault: consumption pauses with backoff and says so. */
export class DependencyFault extends Error {
  constructor(
    readonly dependency: string,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = 'DependencyFault';
  }
}

/** The lease went to another replica. */
export class LeaseLostError extends Error {
  constructor(lease: HeldLease) {
    super(`lease ${lease.name} with epoch ${lease.epoch} is no longer held`);
    this.name = 'LeaseLostError';
  }
}

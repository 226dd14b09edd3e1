/**
 * The event log: the one port through which services talk. Two versions pass one contract suite: Kafka, and tables in
 * the PostgreSQL that is there anyway (embedded).
 *
 * PostgreSQL, not the log, holds how far a consumer is. The log hands out *sessions* (one assignment of one partition);
 * the consumer says where a session starts, and decides in its own transaction whether a batch still belongs to it.
 */

/** Header values are bytes, as on Kafka; a header may be repeated by the sender, the last one counts. */
export type Headers = Readonly<Record<string, Uint8Array>>;

/** A record as written: `value` null is a tombstone, which removes the key from a compacted topic. */
export interface OutgoingRecord {
  readonly topic: string;
  /** Null keys are allowed only on topics that are not compacted. */
  readonly key: Uint8Array | null;
  readonly value: Uint8Array | null;
  readonly headers: Headers;
}

/** A record as read. Offsets rise within a partition and have holes. */
export interface LogRecord extends OutgoingRecord {
  readonly partition: number;
  readonly offset: bigint;
  /** When the log took it (intake topics) or the sender's time, in milliseconds since 1970. */
  readonly timestampMs: number;
}

/** One partition of one topic in one life of that topic. */
export interface PartitionId {
  readonly topic: string;
  readonly partition: number;
  /** Given by us when the topic was created; a topic deleted and created again has another. */
  readonly incarnation: string;
}

/**
 * One fetch, or a part of it. `fetchedFrom` is the offset that was asked for: the fence compares it, never the first
 * record's offset. In a session each batch is fetched from where the one before ended (`nextOffset`), the first from
 * the session's start.
 */
export interface FetchedBatch {
  readonly partition: PartitionId;
  readonly fetchedFrom: bigint;
  /** In offset order; empty when the fetch met control records or compacted holes alone. */
  readonly records: readonly LogRecord[];
  /** Last offset covered by the fetch, control records counted, plus 1. */
  readonly nextOffset: bigint;
  /** Next offset to be written, when the fetch was answered; lag is `logEnd - nextOffset`. */
  readonly logEnd: bigint;
  readonly signal: AbortSignal;
  /** Keeps the membership while a long batch is worked on; cheap, call it between chunks. */
  heartbeat(): Promise<void>;
}

/**
 * What a consumer does with one assignment of one partition. A session ends when the partition is revoked, when
 * `onBatch` answers `lost`, or when it throws; the log then opens a new one, which starts by `start` again.
 */
export interface PartitionSession {
  /** Works on a batch and stores its offset; `lost` when the stored offset was not the expected one any more. */
  onBatch(batch: FetchedBatch): Promise<'stored' | 'lost'>;
}

export interface SessionFactory {
  /**
   * Reads the stored offset and opens a session there. The log checks `log start <= start <= log end` and reports
   * {@link OffsetOutOfRangeError} through `onFault` when that does not hold: it never skips silently.
   */
  open(partition: PartitionId, bounds: LogBounds): Promise<{ start: bigint; session: PartitionSession }>;
  /** Every fault that does not end the consumer (a dependency away, a range error); shown in readiness and metrics. */
  onFault(fault: Error, partition: PartitionId | undefined): void;
  /** The consumer works again after a fault. */
  onRecovered?(partition: PartitionId | undefined): void;
}

export interface LogBounds {
  readonly logStart: bigint;
  readonly logEnd: bigint;
}

export interface ConsumeOptions {
  /** Group name; members of one group share the partitions. */
  readonly group: string;
  readonly topic: string;
  readonly sessions: SessionFactory;
  /** Upper bound of records in a batch. Default 500. */
  readonly maxBatchRecords?: number;
  /** Upper bound of the bytes of a batch; a single larger record still comes through. Default 1 MiB. */
  readonly maxBatchBytes?: number;
  /**
   * Upper bound of the bytes in hand and fetched ahead, over all partitions; the fetch that reaches it still comes
   * through. Default 16 MiB.
   */
  readonly maxHeldBytes?: number;
  /** A member that says nothing for this long loses its partitions, in ms. Default 10,000. */
  readonly sessionTimeoutMs?: number;
}

export interface LogConsumer {
  /** No new batches until `resume`; membership is kept. */
  pause(): void;
  resume(): void;
  /** Ends the session of a partition; the next one starts where the stored offset is by then. */
  reopen(partition: number): void;
  /** Partitions held now. */
  assignment(): readonly PartitionId[];
  /** Finishes the batch in hand, leaves the group, frees the partitions at once. Idempotent. */
  stop(): Promise<void>;
}

/**
 * A writer of which only the newest with its name can write. Taking the fence (the first `transaction`) shuts every
 * earlier holder of the name out; a shut-out writer's transaction throws {@link FencedError} and it must be discarded.
 */
export interface FencedWriter {
  /**
   * Begins a transaction (that fences the predecessor), then asks `read` for the records, appends all or none of them
   * over all their topics, and commits. Answers with what `read` gave, so that the caller can delete its rows.
   * An empty list aborts the transaction and appends nothing.
   * @throws FencedError a newer writer has the name; discard this one.
   * @throws LogUnavailableError the log is away or the outcome unknown; discard this one, begin again.
   */
  transaction<R extends OutgoingRecord>(read: () => Promise<readonly R[]>): Promise<readonly R[]>;
  close(): Promise<void>;
}

export interface ReadOptions {
  readonly topic: string;
  readonly partition: number;
  readonly from: bigint;
  /** Stop before this offset; without it, follow the log until `signal` aborts. */
  readonly until?: bigint;
  readonly signal: AbortSignal;
}

export interface TopicSpec {
  readonly name: string;
  readonly partitions: number;
  readonly cleanup: 'compact' | 'delete';
  /** How long records stay on `delete` topics, and tombstones on compacted ones, in ms. */
  readonly retentionMs: number;
  /** The log stamps the time itself (intake), instead of taking the sender's. */
  readonly logAppendTime: boolean;
}

export interface TopicDescription {
  readonly name: string;
  readonly incarnation: string;
  readonly partitions: readonly LogBounds[];
}

/** How a topic is kept, as far as {@link TopicSpec} says it, and what the log adds to that. */
export interface TopicSettings extends Omit<TopicSpec, 'name'> {
  /** Further settings by the log's own names, for people. */
  readonly further: Readonly<Record<string, string>>;
}

export interface EventLogAdmin {
  /** Creates what is missing; refuses to change the partition count of what is there. Safe to run from many at once. */
  ensureTopics(specs: readonly TopicSpec[]): Promise<void>;
  describe(topic: string): Promise<TopicDescription | undefined>;
  /** Of these topics those that are there, by name; costs as much as one. */
  describeAll(topics: readonly string[]): Promise<ReadonlyMap<string, TopicDescription>>;
  /** How topics are kept, by name; those that are not there are absent. */
  settings(topics: readonly string[]): Promise<ReadonlyMap<string, TopicSettings>>;
  list(): Promise<readonly string[]>;
  deleteTopic(topic: string): Promise<void>;
  /** Runs compaction now (embedded); on Kafka the broker does it in its own time, and this does nothing. */
  compact(topic: string): Promise<void>;
  /** Drops records below the offset. */
  deleteRecords(topic: string, partition: number, before: bigint): Promise<void>;
  /**
   * Removes a text from a topic, at once: records whose key holds it go; those that hold it elsewhere go too, or keep a
   * placeholder of the same length in its place. Offsets stay as they are.
   *
   * @returns how many records; undefined where the log can't (Kafka: records go with retention and compaction alone)
   */
  erase(topic: string, erasure: Erasure): Promise<{ readonly deleted: number; readonly redacted: number } | undefined>;
}

/** What is to be removed from a topic. */
export interface Erasure {
  readonly text: string;
  /** As many bytes as `text`. */
  readonly placeholder: string;
  /** Of records whose key does not hold the text. */
  readonly others: 'delete' | 'redact';
}

export interface EventLog {
  readonly admin: EventLogAdmin;
  /**
   * Resolves when the member has joined; runs until `stop`. Faults never end it: it retries with backoff and jitter, also
   * while the topic is missing or the log is away when it begins.
   */
  consume(options: ConsumeOptions): Promise<LogConsumer>;
  /**
   * Reads one partition in order, without a group. Ends at `until`, or silently when `signal` aborts.
   * @throws OffsetOutOfRangeError
   * @throws TopicMismatchError there is no such topic or partition
   * @throws LogUnavailableError the log has been away for half a minute; go on behind the last record that came
   */
  read(options: ReadOptions): AsyncIterable<LogRecord>;
  /** @param name of the writer: `tidemark.<env>.<service>.<shard>`, Kafka's transactional id. */
  writer(name: string): Promise<FencedWriter>;
  /** Answers when the log can be written and read. @throws LogUnavailableError */
  ping(): Promise<void>;
  close(): Promise<void>;
}

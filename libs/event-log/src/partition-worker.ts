import { Backoff } from './backoff.ts';
import { OffsetOutOfRangeError } from './errors.ts';
import type { FaultLatch } from './fault-latch.ts';
import type { LogBounds, PartitionId, PartitionSession, SessionFactory } from './port.ts';
import { bytesOf, type Fetched } from './fetched.ts';

export interface WorkerParts {
  readonly id: PartitionId;
  /** The membership under which the partition is held. */
  readonly memberId: string;
  readonly sessions: SessionFactory;
  readonly faults: FaultLatch;
  isStopping(): boolean;
  /** Called with the offset that was stored. */
  stored?(next: bigint): void;
  /** Called when the worker can be given something again. */
  changed(): void;
}

/**
 * One partition in this member's hands: opens its session, works on one batch at a time, and opens it again after a
 * fault or a lost fence. `revoked` is final; a batch in hand is finished even then.
 */
export class PartitionWorker {
  readonly #parts: WorkerParts;
  readonly #backoff = new Backoff();
  readonly #revoked = new AbortController();
  #state: 'closed' | 'opening' | 'idle' | 'working' | 'revoked' = 'closed';
  #session: PartitionSession | undefined;
  #position = 0n;
  #retryAt = 0;
  #task: Promise<void> | undefined;
  /** Bytes of the batch in hand. */
  bytesInHand = 0;
  /** When it was last given something; the one that waits longest is asked for first. */
  servedAt = 0;
  /** The log's end, as it was known when reading there brought nothing. */
  nothingAt: bigint | undefined;

  constructor(parts: WorkerParts) {
    this.#parts = parts;
  }

  get id(): PartitionId {
    return this.#parts.id;
  }

  get memberId(): string {
    return this.#parts.memberId;
  }

  get state(): 'closed' | 'opening' | 'idle' | 'working' | 'revoked' {
    return this.#state;
  }

  /** Offset to fetch from next. */
  get position(): bigint {
    return this.#position;
  }

  /** A call of the consumer is under way. */
  get busy(): boolean {
    return this.#task !== undefined;
  }

  /** How long until a closed session may be opened again, in ms. */
  retryInMs(): number {
    return Math.max(0, this.#retryAt - performance.now());
  }

  settled(): Promise<void> {
    return this.#task ?? Promise.resolve();
  }

  /** Takes no further batch. `abort` also tells the batch in hand that its partition is another's. */
  revoke(how: 'abort' | 'finish' = 'finish'): void {
    this.#state = 'revoked';
    // Whoever has it from now on says what is the matter with it.
    this.#parts.faults.recovered(this.id);
    if (how === 'abort') this.#revoked.abort();
  }

  open(bounds: LogBounds): void {
    this.#state = 'opening';
    this.#start(async () => {
      const { start, session } = await this.#parts.sessions.open(this.id, bounds);
      if (start < bounds.logStart || start > bounds.logEnd) throw this.#outOfRange(start, bounds);
      this.#session = session;
      this.#position = start;
      this.nothingAt = undefined;
      // A first success of the session is what ends a fault: opening alone would hide one that each batch meets.
      if (start === bounds.logEnd) this.#succeeded();
      this.#become('idle');
    });
  }

  deliver(fetched: Fetched): void {
    if (this.#state !== 'idle' || fetched.from !== this.#position) return;
    if (fetched.from < fetched.logStart || fetched.from > fetched.logEnd) {
      this.#close(this.#outOfRange(fetched.from, fetched));
      return;
    }
    if (fetched.nextOffset === fetched.from) return;
    const session = this.#session;
    if (!session) return;
    this.#state = 'working';
    this.bytesInHand = bytesOf(fetched);
    this.servedAt = performance.now();
    this.#start(async () => {
      const outcome = await session.onBatch({
        partition: this.id,
        fetchedFrom: fetched.from,
        records: fetched.records,
        nextOffset: fetched.nextOffset,
        logEnd: fetched.logEnd,
        signal: this.#revoked.signal,
        // The lease is renewed by a timer of its own.
        heartbeat: () => Promise.resolve(),
      });
      if (outcome === 'lost') {
        this.#close(undefined);
        return;
      }
      this.#position = fetched.nextOffset;
      this.#parts.stored?.(fetched.nextOffset);
      this.#succeeded();
      this.#become('idle');
    });
  }

  /** The stored offset was moved by others. A batch in hand finds out by itself. */
  reopen(): void {
    if (this.#state === 'idle') this.#close(undefined);
  }

  /** Reading for it failed. */
  fail(fault: unknown): void {
    if (this.#state === 'idle') this.#close(fault);
    this.#parts.changed();
  }

  #succeeded(): void {
    this.#backoff.succeeded();
    this.#parts.faults.recovered(this.id);
  }

  #start(work: () => Promise<void>): void {
    this.#task = work()
      .catch((error: unknown) => this.#close(error))
      .finally(() => {
        this.#task = undefined;
        this.bytesInHand = 0;
        this.#parts.changed();
      });
  }

  /** Ends the session; the next one starts where the consumer says, after a wait that grows with repeated failure. */
  #close(fault: unknown): void {
    this.#session = undefined;
    // The first lost fence is answered at once: the stored offset is known to have moved.
    const waitMs = this.#backoff.next();
    this.#retryAt = fault === undefined && this.#backoff.failures === 1 ? 0 : performance.now() + waitMs;
    if (fault !== undefined && this.#state !== 'revoked' && !(this.#parts.isStopping() && isAbort(fault))) {
      this.#parts.faults.fault(fault, this.id);
    }
    this.#become('closed');
  }

  #become(state: 'closed' | 'idle'): void {
    if (this.#state !== 'revoked') this.#state = state;
  }

  #outOfRange(wanted: bigint, bounds: LogBounds): OffsetOutOfRangeError {
    return new OffsetOutOfRangeError(this.id.topic, this.id.partition, wanted, bounds.logStart, bounds.logEnd);
  }
}

const isAbort = (fault: unknown): boolean => fault instanceof Error && fault.name === 'AbortError';

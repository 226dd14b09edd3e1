import { Backoff, sleep } from '../backoff.ts';
import { LogUnavailableError, TopicMismatchError } from '../errors.ts';
import { FaultLatch } from '../fault-latch.ts';
import type { FetchLimits } from '../fetched.ts';
import {
  defaultMaxBatchBytes,
  defaultMaxBatchRecords,
  defaultMaxHeldBytes,
  defaultSessionTimeoutMs,
} from '../limits.ts';
import { PartitionWorker } from '../partition-worker.ts';
import type { ConsumeOptions, LogConsumer, PartitionId } from '../port.ts';
import { Wakeup } from '../wakeup.ts';
import { type Database, sqlStateOf } from './database.ts';
import { boundsOf, fetchPartitions } from './fetch.ts';
import type { Member, Memberships } from './membership.ts';
import type { Tail } from './tail.ts';
import type { TopicCatalog, TopicEntry } from './topic-catalog.ts';

export interface ConsumerParts {
  readonly database: Database;
  readonly tail: Tail;
  readonly memberships: Memberships;
  readonly topics: TopicCatalog;
}

/**
 * One member of one group. One loop reads what all its partitions wait for in one statement, and hands the batches out;
 * partitions work side by side, each in order. No fault ends it.
 */
export class EmbeddedConsumer implements LogConsumer {
  readonly #parts: ConsumerParts;
  readonly #options: ConsumeOptions;
  readonly #onStopped: () => void;
  readonly #limits: FetchLimits;
  readonly #faults: FaultLatch;
  readonly #wakeup = new Wakeup();
  readonly #turnBackoff = new Backoff();
  readonly #stopping = new AbortController();
  /** By partition, also those that are being given up while a batch is in hand. */
  readonly #workers = new Map<number, PartitionWorker>();
  #topic: TopicEntry | undefined;
  #member: Member | undefined;
  #share: { readonly held: ReadonlySet<number>; readonly quota: number } = { held: new Set(), quota: 0 };
  #paused = false;
  #running: Promise<void> | undefined;

  constructor(parts: ConsumerParts, options: ConsumeOptions, onStopped: () => void) {
    this.#parts = parts;
    this.#onStopped = onStopped;
    this.#options = options;
    this.#limits = {
      maxRecords: options.maxBatchRecords ?? defaultMaxBatchRecords,
      maxBytes: options.maxBatchBytes ?? defaultMaxBatchBytes,
    };
    this.#faults = new FaultLatch(options.sessions);
  }

  /** Resolves when the member has joined. */
  async start(): Promise<void> {
    const joined = Promise.withResolvers<void>();
    this.#running = this.#run(joined.resolve).finally(() =>
      joined.reject(new LogUnavailableError('stopped before the group was joined')),
    );
    await joined.promise;
  }

  pause(): void {
    this.#paused = true;
  }

  resume(): void {
    this.#paused = false;
    this.#wakeup.signal();
  }

  reopen(partition: number): void {
    this.#workers.get(partition)?.reopen();
    this.#wakeup.signal();
  }

  assignment(): readonly PartitionId[] {
    const topic = this.#topic;
    return topic ? [...this.#share.held].map((partition) => partitionId(topic, partition)) : [];
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#wakeup.signal();
    await this.#running;
    this.#onStopped();
  }

  async #run(onJoined: () => void): Promise<void> {
    const backoff = new Backoff();
    while (!this.#stopping.signal.aborted) {
      try {
        await this.#membership(() => {
          backoff.succeeded();
          onJoined();
        });
      } catch (error) {
        if (this.#stopping.signal.aborted) break;
        this.#faults.fault(error);
        await sleep(backoff.next(), this.#stopping.signal);
      }
    }
  }

  /** One membership, from joining to leaving or losing it. */
  async #membership(onJoined: () => void): Promise<void> {
    const { topics, memberships, tail } = this.#parts;
    const topic = (await topics.resolve([this.#options.topic])).get(this.#options.topic);
    if (!topic) throw new TopicMismatchError(this.#options.topic, 'there is no such topic');
    let lost = false;
    let over = false;
    const lose = () => {
      lost = true;
      topics.forget([topic.name]);
      this.#wakeup.signal();
    };
    this.#topic = topic;
    const unwatch = tail.watch(topic.id, {
      onAppended: () => this.#wakeup.signal(),
      onFault: (fault) => this.#faults.fault(fault),
      onRecovered: () => this.#faults.recovered(),
    });
    try {
      const timeoutMs = this.#options.sessionTimeoutMs ?? defaultSessionTimeoutMs;
      this.#member = await memberships.join(topic.id, this.#options.group, timeoutMs, {
        onShare: (held, quota) => {
          // An answer that was under way while the member left.
          if (over) return;
          this.#share = { held: new Set(held), quota };
          this.#wakeup.signal();
        },
        onLost: lose,
        onFault: (fault) => this.#faults.fault(fault),
        onRecovered: () => this.#faults.recovered(),
      });
      this.#faults.recovered();
      onJoined();
      while (!lost && !this.#stopping.signal.aborted) {
        try {
          await this.#turn(topic, this.#member);
        } catch (error) {
          // Undefined table: the topic was deleted under our hands.
          if (sqlStateOf(error) === '42P01') lose();
          else {
            this.#faults.fault(error);
            await sleep(this.#turnBackoff.next(), this.#stopping.signal);
          }
        }
      }
    } catch (error) {
      if (sqlStateOf(error) === '23503') topics.forget([topic.name]);
      throw error;
    } finally {
      over = true;
      unwatch();
      await this.#end(lost);
    }
  }

  /** Opens sessions, gives up what is over the share, reads and hands out; then sleeps until there is news. */
  async #turn(topic: TopicEntry, member: Member): Promise<void> {
    await this.#releaseSurplus(member);
    await this.#openSessions(topic, member);
    const ready = this.#paused || !member.alive() ? [] : this.#affordable(this.#ready(topic));
    if (ready.length > 0) {
      const positions = new Map(ready.map((worker) => [worker.id.partition, worker.position]));
      const ends = new Map([...positions.keys()].map((p) => [p, this.#parts.tail.endOf(topic.id, p) ?? -1n]));
      const fetched = await fetchPartitions(this.#parts.database, topic, positions, this.#limits);
      if (fetched.length === 0) this.#parts.topics.forget([topic.name]);
      for (const batch of fetched) {
        const worker = this.#workers.get(batch.partition);
        if (worker && batch.nextOffset === batch.from) worker.nothingAt = ends.get(batch.partition);
        worker?.deliver(batch);
      }
      this.#faults.recovered();
    }
    this.#turnBackoff.succeeded();
    if (ready.length === 0) await this.#wakeup.wait(this.#nextRetryMs());
  }

  /** As many as fit into what may be held, if each brings a whole batch; those that have waited longest first. */
  #affordable(ready: PartitionWorker[]): PartitionWorker[] {
    const held = [...this.#workers.values()].reduce((sum, { bytesInHand }) => sum + bytesInHand, 0);
    const room = (this.#options.maxHeldBytes ?? defaultMaxHeldBytes) - held;
    if (room <= 0) return [];
    const count = Math.max(1, Math.floor(room / this.#limits.maxBytes));
    return ready.length <= count ? ready : ready.sort((a, b) => a.servedAt - b.servedAt).slice(0, count);
  }

  #ready(topic: TopicEntry): PartitionWorker[] {
    return [...this.#workers.values()].filter((worker) => {
      if (worker.state !== 'idle') return false;
      const end = this.#parts.tail.endOf(topic.id, worker.id.partition) ?? -1n;
      // An end at which there was nothing to read is no reason to read again.
      return (end < 0n || end > worker.position) && end !== worker.nothingAt;
    });
  }

  async #releaseSurplus(member: Member): Promise<void> {
    const { held, quota } = this.#share;
    // Those that are not at work go first; highest numbers, so that what stays is stable.
    const surplus = [...held].sort((a, b) => Number(this.#isBusy(a)) - Number(this.#isBusy(b)) || b - a);
    surplus.length = Math.max(0, held.size - quota);
    for (const partition of surplus) this.#workers.get(partition)?.revoke();
    const free = surplus.filter((partition) => !this.#isBusy(partition));
    if (free.length === 0) return;
    await member.release(free);
    this.#share = { held: new Set([...this.#share.held].filter((partition) => !free.includes(partition))), quota };
    for (const partition of free) this.#workers.delete(partition);
  }

  #isBusy(partition: number): boolean {
    return this.#workers.get(partition)?.busy ?? false;
  }

  async #openSessions(topic: TopicEntry, member: Member): Promise<void> {
    for (const [partition, worker] of this.#workers) {
      const current = this.#share.held.has(partition) && worker.id.incarnation === topic.incarnation;
      if (!current || worker.memberId !== member.id) worker.revoke();
      if (worker.state === 'revoked' && !worker.busy) this.#workers.delete(partition);
    }
    for (const partition of this.#share.held) {
      if (this.#workers.has(partition)) continue;
      const worker = new PartitionWorker({
        id: partitionId(topic, partition),
        memberId: member.id,
        sessions: this.#options.sessions,
        faults: this.#faults,
        isStopping: () => this.#stopping.signal.aborted,
        changed: () => this.#wakeup.signal(),
      });
      this.#workers.set(partition, worker);
    }
    const closed = [...this.#workers.values()].filter((worker) => worker.state === 'closed' && worker.retryInMs() <= 0);
    if (closed.length === 0 || this.#paused) return;
    const bounds = await boundsOf(this.#parts.database, topic.id);
    if (bounds.length === 0) throw new TopicMismatchError(topic.name, 'was deleted');
    for (const worker of closed) {
      const own = bounds[worker.id.partition];
      if (own) worker.open(own);
    }
    this.#faults.recovered();
  }

  #nextRetryMs(): number | undefined {
    if (this.#paused) return undefined;
    const waits = [...this.#workers.values()].filter((w) => w.state === 'closed').map((w) => w.retryInMs());
    return waits.length > 0 ? Math.min(...waits) : undefined;
  }

  /** Ends the sessions; a clean stop lets the batches in hand finish and frees the partitions at once. */
  async #end(lost: boolean): Promise<void> {
    const member = this.#member;
    this.#member = undefined;
    this.#share = { held: new Set(), quota: 0 };
    for (const worker of this.#workers.values()) worker.revoke(lost ? 'abort' : 'finish');
    if (!this.#stopping.signal.aborted) return;
    await Promise.all([...this.#workers.values()].map((worker) => worker.settled()));
    this.#workers.clear();
    // When the database can't hear it, the lease runs out by itself.
    if (!lost) await member?.leave().catch(() => undefined);
  }
}

const partitionId = (topic: TopicEntry, partition: number): PartitionId => ({
  topic: topic.name,
  partition,
  incarnation: topic.incarnation,
});

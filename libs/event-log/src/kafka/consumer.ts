import { Backoff, sleep } from '../backoff.ts';
import { LogUnavailableError, OffsetOutOfRangeError, TopicMismatchError } from '../errors.ts';
import { FaultLatch } from '../fault-latch.ts';
import { bytesOf, takeBatch } from '../fetched.ts';
import {
  defaultMaxBatchBytes,
  defaultMaxBatchRecords,
  defaultMaxHeldBytes,
  defaultSessionTimeoutMs,
} from '../limits.ts';
import { PartitionWorker } from '../partition-worker.ts';
import type { ConsumeOptions, LogConsumer, PartitionId } from '../port.ts';
import { Wakeup } from '../wakeup.ts';
import { asUnavailable, type KafkaClient } from './client.ts';
import { FetchPace } from './fetch-pace.ts';
import { FetchedAhead } from './fetched-ahead.ts';
import { Fetcher, type FetchRequest } from './fetcher.ts';
import { GroupMember } from './group-member.ts';
import type { TopicRegistry } from './topic-registry.ts';

/** A fetch waits that long for records when all partitions are idle, in ms. */
const idleWaitMs = 1_000;
/** While a partition is at work a fetch must be back soon, because a broker answers one fetch of a connection at a time. */
const busyWaitMs = 25;
/** How often Kafka's own commit follows, in ms. */
const commitEveryMs = 2_000;

/** What one generation of the group gave to this member. */
interface Generation {
  readonly id: string;
  readonly incarnation: string;
  readonly partitions: ReadonlySet<number>;
}

/** One member of one group. Partitions work side by side, each in order. No fault ends it. */
export class KafkaConsumer implements LogConsumer {
  readonly #client: KafkaClient;
  readonly #registry: TopicRegistry;
  readonly #options: ConsumeOptions;
  readonly #onStopped: () => void;
  readonly #faults: FaultLatch;
  readonly #wakeup = new Wakeup();
  readonly #stopping = new AbortController();
  readonly #backoff = new Backoff();
  /** By partition, also those that were taken away while a batch is in hand. */
  readonly #workers = new Map<number, PartitionWorker>();
  readonly #waiting = new FetchedAhead();
  readonly #pace: FetchPace;
  /** Brokers that are being asked, each at most once at a time. */
  readonly #polls = new Map<string, Promise<void>>();
  readonly #toCommit = new Map<number, bigint>();
  #generation: Generation | undefined;
  #generations = 0;
  #paused = false;
  #pollFault: Error | undefined;
  #fetcher: Fetcher | undefined;
  #running: Promise<void> | undefined;

  constructor(client: KafkaClient, registry: TopicRegistry, options: ConsumeOptions, onStopped: () => void) {
    this.#onStopped = onStopped;
    this.#client = client;
    this.#registry = registry;
    this.#options = options;
    this.#faults = new FaultLatch(options.sessions);
    this.#pace = new FetchPace(options.maxBatchBytes ?? defaultMaxBatchBytes);
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
    const generation = this.#generation;
    return generation ? [...generation.partitions].map((partition) => this.#idOf(partition, generation)) : [];
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#wakeup.signal();
    await this.#running;
    this.#onStopped();
  }

  async #run(onJoined: () => void): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      try {
        await this.#membership(onJoined);
      } catch (error) {
        if (this.#stopping.signal.aborted) break;
        this.#faults.fault(error instanceof TopicMismatchError ? error : asUnavailable(error));
        await sleep(this.#backoff.next(), this.#stopping.signal);
      }
    }
  }

  /** One membership, from joining to leaving or losing it. */
  async #membership(onJoined: () => void): Promise<void> {
    const { topic, group } = this.#options;
    // A life that ended while nobody followed must not be taken for the present one.
    await this.#registry.refresh();
    const life = this.#registry.get(topic);
    if (!life) throw new TopicMismatchError(topic, 'there is no such topic');
    let ended: Error | 'replaced' | undefined;
    const end = (why: Error | 'replaced') => {
      ended ??= why;
      this.#generation = undefined;
      this.#wakeup.signal();
    };
    const unwatch = this.#registry.watch((changed) => {
      if (changed === topic && this.#registry.get(topic)?.incarnation !== life.incarnation) end('replaced');
    });
    const sessionTimeoutMs = this.#options.sessionTimeoutMs ?? defaultSessionTimeoutMs;
    const member = new GroupMember(this.#client, group, topic, sessionTimeoutMs);
    try {
      await member.join({
        onAssigned: (partitions) => {
          this.#generations += 1;
          const id = String(this.#generations);
          this.#generation = { id, incarnation: life.incarnation, partitions: new Set(partitions) };
          this.#backoff.succeeded();
          this.#faults.recovered();
          onJoined();
          this.#wakeup.signal();
        },
        onRebalancing: () => {
          this.#generation = undefined;
          this.#wakeup.signal();
        },
        onCrash: end,
      });
      let commitAt = performance.now() + commitEveryMs;
      while (!ended && !this.#stopping.signal.aborted) {
        try {
          await this.#turn();
        } catch (error) {
          // Reading failed: the connections are made anew, the membership stays.
          if (this.#stopping.signal.aborted) break;
          this.#faults.fault(asUnavailable(error));
          await this.#disconnect();
          await sleep(this.#backoff.next(), this.#stopping.signal);
          continue;
        }
        if (performance.now() < commitAt) continue;
        await this.#commit(member);
        commitAt = performance.now() + commitEveryMs;
      }
      if (ended instanceof Error && !this.#stopping.signal.aborted) throw ended;
    } finally {
      unwatch();
      await this.#end(ended !== undefined, member);
    }
  }

  /** Opens sessions, hands out what was fetched, asks for more; then sleeps until there is news. */
  async #turn(): Promise<void> {
    const fault = this.#pollFault;
    if (fault) throw fault;
    const generation = this.#generation;
    this.#dropWorkers(generation);
    if (generation && !this.#paused) {
      this.#fetcher ??= await Fetcher.connect(this.#client, this.#options.topic);
      const fetcher = this.#fetcher;
      await this.#openSessions(fetcher, generation);
      this.#handOut();
      await this.#ask(fetcher);
    }
    await this.#wakeup.wait(Math.min(commitEveryMs, this.#nextRetryMs() ?? commitEveryMs));
  }

  #dropWorkers(generation: Generation | undefined): void {
    for (const [partition, worker] of this.#workers) {
      if (worker.memberId !== generation?.id) worker.revoke();
      if (worker.state === 'revoked' && !worker.busy) this.#workers.delete(partition);
    }
    this.#waiting.prune(this.#workers);
  }

  async #openSessions(fetcher: Fetcher, generation: Generation): Promise<void> {
    for (const partition of generation.partitions) {
      if (this.#workers.has(partition)) continue;
      const worker = new PartitionWorker({
        id: this.#idOf(partition, generation),
        memberId: generation.id,
        sessions: this.#options.sessions,
        faults: this.#faults,
        isStopping: () => this.#stopping.signal.aborted,
        stored: (next) => this.#toCommit.set(partition, next),
        changed: () => this.#wakeup.signal(),
      });
      this.#workers.set(partition, worker);
    }
    const closed = [...this.#workers.values()].filter((worker) => worker.state === 'closed' && worker.retryInMs() <= 0);
    if (closed.length === 0) return;
    const bounds = await fetcher.bounds();
    for (const worker of closed) {
      const own = bounds[worker.id.partition];
      if (!own) throw new TopicMismatchError(worker.id.topic, `has no partition ${worker.id.partition}`);
      worker.open(own);
    }
  }

  /** Gives each idle worker its next batch of what was fetched for it. */
  #handOut(): void {
    const limits = {
      maxRecords: this.#options.maxBatchRecords ?? defaultMaxBatchRecords,
      maxBytes: this.#options.maxBatchBytes ?? defaultMaxBatchBytes,
    };
    for (const [partition, worker] of this.#workers) {
      const fetched = worker.state === 'idle' ? this.#waiting.take(partition) : undefined;
      // What was asked for by a session that is no more is nobody's.
      if (fetched === undefined || fetched.from !== worker.position) continue;
      const [batch, rest] = takeBatch(fetched, limits);
      worker.deliver(batch);
      if (rest !== undefined) this.#waiting.putBack(rest);
    }
  }

  /** Asks the brokers for what idle workers wait for. */
  async #ask(fetcher: Fetcher): Promise<void> {
    const room = this.#room();
    if (room <= 0) return;
    // A broker fills its answer in the order in which it is asked: those that have waited longest come first.
    const idle = [...this.#workers.values()]
      .filter((w) => w.state === 'idle' && !this.#waiting.has(w.id.partition))
      .sort((a, b) => a.servedAt - b.servedAt);
    if (idle.length === 0) return;
    const leaders = await fetcher.leaders(idle.map((worker) => worker.id.partition));
    const busy = [...this.#workers.values()].some((worker) => worker.busy);
    for (const [nodeId, partitions] of leaders) {
      if (this.#polls.has(nodeId)) continue;
      const positions = new Map<number, bigint>();
      for (const partition of partitions) {
        const worker = this.#workers.get(partition);
        if (worker?.state === 'idle') positions.set(partition, worker.position);
      }
      if (positions.size === 0) continue;
      const request = { maxWaitMs: busy ? busyWaitMs : idleWaitMs, ...this.#pace.ask(room) };
      const poll = this.#poll(fetcher, nodeId, positions, request).finally(() => {
        this.#polls.delete(nodeId);
        this.#wakeup.signal();
      });
      this.#polls.set(nodeId, poll);
    }
  }

  /** Bytes that may be fetched now. */
  #room(): number {
    let held = this.#waiting.bytes;
    for (const worker of this.#workers.values()) held += worker.bytesInHand;
    return (this.#options.maxHeldBytes ?? defaultMaxHeldBytes) - held;
  }

  async #poll(
    fetcher: Fetcher,
    nodeId: string,
    positions: ReadonlyMap<number, bigint>,
    request: FetchRequest,
  ): Promise<void> {
    try {
      let bytes = 0;
      let more = false;
      for (const fetched of await fetcher.fetch(nodeId, positions, request)) {
        bytes += bytesOf(fetched);
        more ||= fetched.nextOffset > fetched.from && fetched.nextOffset < fetched.logEnd;
        if (fetched.nextOffset > fetched.from) this.#waiting.put(fetched, this.#workers.get(fetched.partition));
      }
      this.#pace.got(bytes, more);
      this.#backoff.succeeded();
      this.#faults.recovered();
    } catch (error) {
      if (!(error instanceof OffsetOutOfRangeError)) {
        this.#pollFault = asUnavailable(error);
        return;
      }
      const worker = this.#workers.get(error.partition);
      // Said to a session that is no more, it says nothing of the one that took its place.
      if (worker?.position === positions.get(error.partition)) worker?.fail(error);
    }
  }

  async #commit(member: GroupMember): Promise<void> {
    const held = this.#generation?.partitions;
    const offsets = new Map([...this.#toCommit].filter(([partition]) => held?.has(partition)));
    this.#toCommit.clear();
    // Only tools look at it: the next one says more.
    if (offsets.size > 0) await member.commit(offsets).catch(() => undefined);
  }

  #nextRetryMs(): number | undefined {
    if (this.#paused || !this.#generation) return undefined;
    const waits = [...this.#workers.values()].filter((w) => w.state === 'closed').map((w) => w.retryInMs());
    return waits.length > 0 ? Math.min(...waits) : undefined;
  }

  /** Ends the sessions; a clean stop lets the batches in hand finish and frees the partitions at once. */
  async #end(lost: boolean, member: GroupMember): Promise<void> {
    for (const worker of this.#workers.values()) worker.revoke(lost ? 'abort' : 'finish');
    if (this.#stopping.signal.aborted) {
      await Promise.all([...this.#workers.values()].map((worker) => worker.settled()));
      if (!lost) await this.#commit(member);
    }
    this.#generation = undefined;
    this.#toCommit.clear();
    await Promise.all([this.#disconnect(), member.leave().catch(() => undefined)]);
    for (const [partition, worker] of this.#workers) if (!worker.busy) this.#workers.delete(partition);
  }

  /** Ends the connections for reading, and what was asked through them. */
  async #disconnect(): Promise<void> {
    const fetcher = this.#fetcher;
    this.#fetcher = undefined;
    await Promise.all([fetcher?.close(), ...this.#polls.values()]);
    this.#waiting.clear();
    this.#pollFault = undefined;
  }

  #idOf(partition: number, { incarnation }: Generation): PartitionId {
    return { topic: this.#options.topic, partition, incarnation };
  }
}

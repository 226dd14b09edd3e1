import type { DescMessage, MessageShape } from '@bufbuild/protobuf';
import type { TopicDefinition } from '@tidemark/event-log';
import type { DeadLetter } from '@tidemark/proto';
import type { AnyTopic, Cause, HeldLease, JobKind, NewJob, Origin, StageTransaction, StoredOffsets } from './api.ts';
import { handleBisecting, type RecordFaultFound } from './consume/bisect.ts';
import { countDeadLetter, deadLetterEvent, letterAgainEvent, letterId } from './consume/dead-letter.ts';
import { readStoredOffsets } from './consume/offset-table.ts';
import { handlerName } from './consume/topic-handler.ts';
import { forgetSeen } from './consume/unseen.ts';
import type { OpenTransaction } from './database/transactions.ts';
import { roomOf } from './jobs/job-bounds.ts';
import { addJobs } from './jobs/job-table.ts';
import { assertLease } from './leases/lease-table.ts';
import { type EventOrigin, messageEvent, type OutgoingEvent, tombstoneEvent } from './outbox/outgoing-event.ts';
import { writeOutbox } from './outbox/write-outbox.ts';
import type { StageParts } from './stage-parts.ts';

/** What work needs of the running service. */
export type WorkParts = Pick<StageParts, 'blobs' | 'bounds' | 'identity' | 'logger' | 'metrics' | 'tracing' | 'wakes'>;

/** What one handler did within a transaction: collects its events, and writes them by {@link finish}. */
export class StageWork implements StageTransaction {
  private readonly events: OutgoingEvent[] = [];
  private readonly ordinals = new Map<string, number>();
  private finished = false;

  /** @param handler stable name from which event ids derive */
  constructor(
    private readonly open: OpenTransaction,
    private readonly parts: WorkParts,
    private readonly handler: string,
  ) {}

  query<Row = Record<string, unknown>>(sql: string, parameters: readonly unknown[] = []): Promise<Row[]> {
    this.assertUnfinished();
    return this.open.query<Row>(sql, parameters);
  }

  publish<D extends DescMessage>(
    cause: Cause,
    topic: TopicDefinition<D>,
    message: MessageShape<D>,
    key?: string,
  ): void {
    this.assertUnfinished();
    this.events.push(messageEvent(this.originOf(cause, topic), topic, message, key));
  }

  publishTombstone(cause: Cause, topic: AnyTopic, key: string): void {
    this.assertUnfinished();
    this.events.push(tombstoneEvent(this.originOf(cause, topic), topic, key));
  }

  async enqueue<P>(kind: JobKind<P>, jobs: readonly NewJob<P>[]): Promise<void> {
    this.assertUnfinished();
    await addJobs(this.open, kind, jobs);
    this.open.afterCommit(() => this.parts.wakes.worker(kind.name));
  }

  async layAside(origin: Origin, code: string, message: string, attempts = 1): Promise<void> {
    this.assertUnfinished();
    await forgetSeen(this.open, origin);
    await this.addLetter(origin, { code, message }, attempts);
  }

  async takeUp<O extends Origin>(
    topic: Pick<AnyTopic, 'name'>,
    records: readonly O[],
    handle: (tx: StageTransaction, some: readonly O[]) => Promise<void>,
  ): Promise<readonly O[]> {
    this.assertUnfinished();
    const handler = handlerName(this.parts.identity, topic);
    const laidAside: O[] = [];
    await handleBisecting(records, {
      attempt: (some) =>
        this.open.inSavepoint(async () => {
          const work = new StageWork(this.open, this.parts, handler);
          await handle(work, some);
          await work.finish();
        }),
      layAside: async (record, { code, message }) => {
        const work = new StageWork(this.open, this.parts, handler);
        await work.layAside(record, code, message);
        await work.finish();
        laidAside.push(record);
      },
    });
    return laidAside;
  }

  jobRoom(kind: Pick<JobKind<unknown>, 'name'>): Promise<number> {
    this.assertUnfinished();
    return roomOf(this.open, this.parts.bounds, kind.name);
  }

  assertLease(lease: HeldLease): Promise<void> {
    this.assertUnfinished();
    return assertLease(this.open, lease);
  }

  storedOffsets(topic: Pick<AnyTopic, 'name'>): Promise<StoredOffsets | undefined> {
    this.assertUnfinished();
    return readStoredOffsets(this.open, this.parts.identity, topic.name);
  }

  afterCommit(action: () => void): void {
    this.assertUnfinished();
    this.open.afterCommit(action);
  }

  /** A record at fault into the dead letters, counted. */
  async addLetter(origin: Origin, fault: Pick<RecordFaultFound, 'code' | 'message'>, attempts: number): Promise<void> {
    this.events.push(await deadLetterEvent(this.parts, this.handler, origin, fault, attempts));
    await this.countLetter(origin.record, origin.id, fault);
  }

  /** A letter that could not be replayed into the dead letters again, counted. */
  async addLetterAgain(letter: DeadLetter, fault: Pick<RecordFaultFound, 'code' | 'message'>): Promise<void> {
    this.events.push(letterAgainEvent(this.parts, letter, fault));
    await this.countLetter(letter, letterId(letter), fault);
  }

  /** Writes the outbox. Nothing can be added afterwards: a handler that forgot to await finds out. */
  async finish(): Promise<void> {
    this.finished = true;
    const shards = await writeOutbox(this.open, this.events);
    if (shards.size > 0) this.open.afterCommit(() => this.parts.wakes.relay(shards));
  }

  private async countLetter(
    { topic, partition, offset }: Pick<DeadLetter, 'topic' | 'partition' | 'offset'>,
    id: string,
    fault: Pick<RecordFaultFound, 'code' | 'message'>,
  ): Promise<void> {
    const { logger, metrics } = this.parts;
    await countDeadLetter(this.open, topic, fault.code);
    const fields = { topic, partition, offset: String(offset), event: id, code: fault.code };
    this.open.afterCommit(() => {
      logger.warn({ ...fields, reason: fault.message.slice(0, 300) }, 'dead letter');
      metrics.deadLetters.inc({ topic, code: fault.code });
    });
  }

  private originOf(cause: Cause, topic: Pick<AnyTopic, 'name'>): EventOrigin {
    const ordinal = this.ordinals.get(cause.id) ?? 0;
    this.ordinals.set(cause.id, ordinal + 1);
    const traceparent = this.traceOf(cause, topic);
    const origin = { service: this.parts.identity.service, handler: this.handler, cause, ordinal };
    return traceparent === undefined ? origin : { ...origin, traceparent };
  }

  /** With traces on, the hop of the cause is what the event follows from; where there is none a trace begins here. */
  private traceOf(cause: Cause, { name }: Pick<AnyTopic, 'name'>): string | undefined {
    const { tracing } = this.parts;
    if (tracing === undefined || cause.traceparent !== undefined) return tracing && cause.traceparent;
    const hop = tracing.hop(`publish ${name}`, 'producer', undefined, { 'messaging.destination.name': name });
    this.open.afterCommit(() => hop.end());
    return hop.traceparent;
  }

  private assertUnfinished(): void {
    if (this.finished) throw new Error(`${this.handler} used its transaction after it was done: an await is missing`);
  }
}

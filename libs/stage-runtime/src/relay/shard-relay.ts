import { type FencedWriter, RecordTooLargeError, writerName } from '@tidemark/event-log';
import { backoffMs } from '../backoff.ts';
import { Bell } from '../bell.ts';
import { causeOfRetry, classifyFault } from '../faults.ts';
import type { LeaseKeeper } from '../injectables.ts';
import { errorFields } from '../observe/logger.ts';
import { sleep } from '../sleep.ts';
import type { StageParts } from '../stage-parts.ts';
import { deleteOutbox, MAX_ROWS, type OutboxRecord, readOutbox, refuseOutbox } from './outbox-rows.ts';
import { RefusedRows } from './refused-rows.ts';

/** At most one transaction of the log in this time, unless it was full: events gather meanwhile. */
const PACE_MS = 50;
/** Name of the lease under which a shard is relayed. */
export const leaseOfShard = (shard: number): string => `relay/${shard}`;

/**
 * Takes the rows of one shard to the log. The lease keeps replicas from getting in each other's way; what makes sure of
 * order is the writer's fence: it is taken before the rows are read, so a relay that was away for long and comes back
 * with rows of then cannot append them behind what its successor wrote.
 */
export class ShardRelay {
  private readonly bell = new Bell();
  private readonly concern: string;
  private writer: FencedWriter | undefined;
  private lastStartMs = 0;
  /** Rows of the next transaction at most: halved while the log refuses one of them, until that one stands alone. */
  private maxRows = MAX_ROWS;
  private running: Promise<void> | undefined;
  private readonly refused: RefusedRows;

  constructor(
    private readonly parts: StageParts,
    private readonly leases: LeaseKeeper,
    private readonly shard: number,
    private readonly pollMs: number,
  ) {
    this.concern = `relay ${shard}`;
    this.refused = new RefusedRows(parts, shard);
  }

  start(): void {
    this.running = this.loop();
  }

  wake(): void {
    this.bell.ring();
  }

  /** Finishes the transaction in hand. */
  async stop(): Promise<void> {
    this.bell.ring();
    await this.running;
    await this.discardWriter();
  }

  private async loop(): Promise<void> {
    const { ended, board, logger, backoff, metrics } = this.parts;
    for (let failures = 0; !ended.aborted; ) {
      try {
        await this.drain();
        failures = 0;
        board.clear(this.concern);
        await this.bell.wait(this.pollMs);
      } catch (error) {
        // Fenced, expired or of unknown outcome: a new writer finds out, after another look at the lease.
        await this.discardWriter();
        if (ended.aborted) return;
        const waitMs = backoffMs(++failures, backoff);
        const fault = classifyFault(error);
        board.set(this.concern, `${this.concern} cannot publish: ${fault.message}`);
        metrics.retries.inc({ part: 'relay', name: String(this.shard), cause: causeOfRetry(fault) });
        logger.warn({ shard: this.shard, failures, waitMs, ...errorFields(error) }, 'relay begins again');
        await sleep(waitMs, ended);
      }
    }
  }

  private async drain(): Promise<void> {
    while (!this.parts.ended.aborted && (await this.hasRows())) {
      if ((await this.leases.acquire(leaseOfShard(this.shard))) === undefined) {
        await this.discardWriter();
        return;
      }
      await this.pace();
      await this.publish();
    }
    await this.refused.layAside();
  }

  private async hasRows(): Promise<boolean> {
    const rows = await this.parts.transactions.query(
      'SELECT 1 FROM outbox WHERE shard = $1 AND refused IS NULL LIMIT 1',
      [this.shard],
    );
    return rows.length > 0;
  }

  private async pace(): Promise<void> {
    await sleep(Math.max(0, this.lastStartMs + PACE_MS - performance.now()), this.parts.ended);
    this.lastStartMs = performance.now();
  }

  private async publish(): Promise<void> {
    const { identity, log, transactions, reached, metrics } = this.parts;
    this.writer ??= await log.writer(writerName(identity.environment, identity.service, this.shard));
    let read: readonly OutboxRecord[] = [];
    const reading = async () => {
      read = await readOutbox(transactions, this.shard, this.maxRows);
      return read;
    };
    const sent = await this.writer.transaction(reading).catch((error: unknown) => this.afterRefusal(error, read));
    if (sent.length === 0) return;
    await reached('after-publish', this.concern);
    await deleteOutbox(
      transactions,
      this.shard,
      sent.map(({ id }) => id),
    );
    for (const { topic } of sent) metrics.published.inc({ topic });
    if (sent.length >= MAX_ROWS) this.lastStartMs = 0;
    this.maxRows = Math.min(MAX_ROWS, this.maxRows * 2);
  }

  /** A record that the log will never take must not hold up those behind it: it is laid aside. */
  private async afterRefusal(error: unknown, read: readonly OutboxRecord[]): Promise<readonly OutboxRecord[]> {
    const [only, ...others] = read;
    if (!(error instanceof RecordTooLargeError) || only === undefined) throw error;
    await this.discardWriter();
    this.maxRows = Math.ceil(read.length / 2);
    if (others.length > 0) return [];
    const { transactions, logger, metrics } = this.parts;
    await refuseOutbox(transactions, this.shard, only.id, error.message);
    metrics.refused.inc({ topic: only.topic });
    logger.error(
      { shard: this.shard, row: String(only.id), ...errorFields(error) },
      'the log refuses an event for good',
    );
    return [];
  }

  private async discardWriter(): Promise<void> {
    const writer = this.writer;
    this.writer = undefined;
    await writer?.close().catch(() => undefined);
  }
}

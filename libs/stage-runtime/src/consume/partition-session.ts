import type { FetchedBatch, PartitionSession } from '@tidemark/event-log';
import { backoffMs } from '../backoff.ts';
import { causeOfRetry, classifyFault } from '../faults.ts';
import { errorFields } from '../observe/logger.ts';
import { sleep } from '../sleep.ts';
import type { StageParts } from '../stage-parts.ts';
import type { BatchWork } from './batch-work.ts';
import { moveOffset, type StoredOffset } from './offset-table.ts';
import { untilRoom } from './room.ts';

/** Thrown inside the transaction to roll it back when the stored offset is not the expected one. */
class SessionLost extends Error {}

/** One assignment of one partition: each batch is one transaction of offset, state and outgoing events. */
export class StageSession implements PartitionSession {
  constructor(
    private readonly parts: StageParts,
    private readonly work: BatchWork,
    private readonly group: string,
    private expected: StoredOffset,
  ) {}

  /** Tries until it is stored or lost: a dependency's fault holds the partition, and never costs a record. */
  async onBatch(batch: FetchedBatch): Promise<'stored' | 'lost'> {
    if (batch.fetchedFrom !== this.expected.next) return 'lost';
    const concern = `${batch.partition.topic}/${batch.partition.partition}`;
    try {
      return await this.untilStored(batch, concern);
    } finally {
      // Also when the partition went to another meanwhile: what holds it up there is said there.
      this.parts.board.clear(concern);
    }
  }

  private async untilStored(batch: FetchedBatch, concern: string): Promise<'stored' | 'lost'> {
    const startedMs = performance.now();
    const { metrics, progress } = this.parts;
    progress.taken(batch);
    const over = AbortSignal.any([batch.signal, this.parts.ended]);
    for (let attempt = 1; ; attempt++) {
      try {
        await untilRoom(this.parts, this.work.options, batch, over);
        if (over.aborted) return 'lost';
        const outcome = await this.store(batch);
        if (outcome === 'stored') {
          const topic = { topic: batch.partition.topic };
          progress.stored(batch);
          metrics.records.inc(topic, batch.records.length);
          if (batch.records.length > 0) metrics.batchSeconds.observe(topic, (performance.now() - startedMs) / 1000);
        }
        return outcome;
      } catch (error) {
        if (over.aborted) throw error;
        const fault = classifyFault(error);
        const what = fault.kind === 'dependency' ? fault.dependency : 'runtime';
        this.parts.board.set(concern, `${concern} waits for ${what}: ${fault.message}`);
        const waitMs = backoffMs(attempt, this.parts.backoff);
        metrics.retries.inc({ part: 'consumer', name: batch.partition.topic, cause: causeOfRetry(fault) });
        this.parts.logger.warn({ partition: concern, attempt, waitMs, ...errorFields(error) }, 'consumption paused');
        await this.waitAsMember(batch, waitMs, over);
      }
    }
  }

  private async store(batch: FetchedBatch): Promise<'stored' | 'lost'> {
    if (batch.nextOffset === this.expected.next) return 'stored';
    try {
      await this.parts.transactions.run(this.work.name, async (open) => {
        const moved = await moveOffset(open, this.group, batch.partition, this.expected, batch.nextOffset);
        if (!moved) throw new SessionLost();
        if (batch.records.length > 0) await this.work.handle(open, batch);
      });
    } catch (error) {
      if (error instanceof SessionLost) return 'lost';
      throw error;
    }
    this.expected = { ...this.expected, next: batch.nextOffset };
    return 'stored';
  }

  private async waitAsMember(batch: FetchedBatch, waitMs: number, over: AbortSignal): Promise<void> {
    const until = performance.now() + waitMs;
    for (let left = waitMs; left > 0 && !over.aborted; left = until - performance.now()) {
      await sleep(Math.min(left, 1_000), over);
      await batch.heartbeat();
    }
  }
}

import type { LogBounds, PartitionId, SessionFactory } from '@tidemark/event-log';
import { errorFields } from '../observe/logger.ts';
import type { StageParts } from '../stage-parts.ts';
import type { BatchWork } from './batch-work.ts';
import { openOffset } from './offset-table.ts';
import { StageSession } from './partition-session.ts';

/** Opens a session at the offset that the service's own schema holds. */
export class StageSessions implements SessionFactory {
  constructor(
    private readonly parts: StageParts,
    private readonly work: BatchWork,
    private readonly group: string,
  ) {}

  /** Epochs of the newest session of each partition, by its number. */
  readonly epochs = new Map<number, bigint>();

  async open(partition: PartitionId, bounds: LogBounds) {
    const stored = await openOffset(this.parts.transactions, this.group, partition, bounds.logStart);
    this.parts.progress.opened(partition, stored.next, bounds);
    this.epochs.set(partition.partition, stored.epoch);
    return { start: stored.next, session: new StageSession(this.parts, this.work, this.group, stored) };
  }

  onFault(fault: Error, partition: PartitionId | undefined): void {
    if (this.parts.ended.aborted) return;
    const concern = this.concernOf(partition);
    this.parts.board.set(concern, `${concern}: ${fault.message}`);
    this.parts.logger.warn({ topic: this.work.topic, ...errorFields(fault) }, 'the log has a fault');
  }

  onRecovered(partition: PartitionId | undefined): void {
    this.parts.board.clear(this.concernOf(partition));
  }

  private concernOf(partition: PartitionId | undefined): string {
    return `log of ${this.work.topic}${partition === undefined ? '' : `/${partition.partition}`}`;
  }
}

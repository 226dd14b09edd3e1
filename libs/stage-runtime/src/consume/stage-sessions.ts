import type { LogBounds, PartitionId, SessionFactory } from '@tidemark/event-log';
import { errorFields } from '../observe/logger.ts';
import type { StageParts } from '../stage-parts.ts';
import { openOffset } from './offset-table.ts';
import { StageSession } from './partition-session.ts';
import type { TopicHandler } from './topic-handler.ts';

/** Opens a session at the offset that the service's own schema holds. */
export class StageSessions implements SessionFactory {
  constructor(
    private readonly parts: StageParts,
    private readonly handler: TopicHandler,
    private readonly group: string,
  ) {}

  async open(partition: PartitionId, bounds: LogBounds) {
    const stored = await openOffset(this.parts.transactions, this.group, partition, bounds.logStart);
    this.parts.progress.opened(partition, stored.next, bounds);
    return { start: stored.next, session: new StageSession(this.parts, this.handler, this.group, stored) };
  }

  onFault(fault: Error, partition: PartitionId | undefined): void {
    if (this.parts.ended.aborted) return;
    const concern = this.concernOf(partition);
    this.parts.board.set(concern, `${concern}: ${fault.message}`);
    this.parts.logger.warn({ topic: this.handler.topic.name, ...errorFields(fault) }, 'the log has a fault');
  }

  onRecovered(partition: PartitionId | undefined): void {
    this.parts.board.clear(this.concernOf(partition));
  }

  private concernOf(partition: PartitionId | undefined): string {
    return `log of ${this.handler.topic.name}${partition === undefined ? '' : `/${partition.partition}`}`;
  }
}

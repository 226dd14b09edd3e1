import { fromBinary } from '@bufbuild/protobuf';
import { Injectable } from '@nestjs/common';
import { RolloutsGradedSchema } from '@tidemark/proto';
import { Every, type StageTransaction, type TimerTick } from '@tidemark/stage-runtime';
import { countGroups, type ReadyGroup } from '../on-rollouts-graded/count-groups.ts';
import { decideCounting } from '../on-rollouts-graded/decide-counting.ts';
import { takeParked, unpark } from '../postgres/parked.ts';

const GROUPS_A_TURN = 500;

/**
 * Counts parked groups that this release can read. A group that was parked by an older release waits for this one; what
 * this release can't read it parked itself, so one pass after the start is enough.
 */
@Injectable()
export class RetakeParked {
  /** Up to which event id this process has looked; undefined when it has seen all. */
  private after: string | undefined = '';

  @Every(2000, { name: 'retake-parked', onEveryReplica: true })
  async turn(_tick: TimerTick, tx: StageTransaction): Promise<void> {
    if (this.after === undefined) return;
    const parked = await takeParked(tx, this.after, GROUPS_A_TURN);
    const ready: ReadyGroup[] = [];
    const readable: string[] = [];
    for (const { eventId, message } of parked) {
      const counting = decideCounting(fromBinary(RolloutsGradedSchema, message));
      if (counting.kind !== 'count') continue;
      ready.push(counting);
      readable.push(eventId);
    }
    await countGroups(tx, ready);
    await unpark(tx, readable);
    const next = parked.length < GROUPS_A_TURN ? undefined : parked.at(-1)?.eventId;
    tx.afterCommit(() => {
      this.after = next;
    });
  }
}

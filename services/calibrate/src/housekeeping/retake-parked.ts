import { fromBinary } from '@bufbuild/protobuf';
import { Injectable } from '@nestjs/common';
import { topics } from '@tidemark/event-log';
import { RolloutsGradedSchema } from '@tidemark/proto';
import { Every, type Origin, type StageTransaction, type TimerTick } from '@tidemark/stage-runtime';
import { countGroups, type ReadyGroup } from '../on-rollouts-graded/count-groups.ts';
import { decideCounting } from '../on-rollouts-graded/decide-counting.ts';
import { firstOpenHour } from '../postgres/evidence.ts';
import { takeParked, unpark } from '../postgres/parked.ts';

const GROUPS_A_TURN = 500;

/**
 * Counts parked groups that this release can read. Those that an older release parked wait for this one, also while
 * both run: so it looks again and again, over all of them in turns. What can't be counted any more is laid aside.
 */
@Injectable()
export class RetakeParked {
  /** Up to which event id this round has looked. */
  private after = '';

  @Every(5_000, { name: 'retake-parked', onEveryReplica: true })
  async turn(_tick: TimerTick, tx: StageTransaction): Promise<void> {
    const parked = await takeParked(tx, this.after, GROUPS_A_TURN);
    const firstHour = await firstOpenHour(tx);
    const laidAside = await tx.takeUp(topics.rolloutsGraded, parked, (own, groups) => count(own, groups, firstHour));
    await unpark(tx, laidAside);
    const next = parked.length < GROUPS_A_TURN ? '' : (parked.at(-1)?.id ?? '');
    tx.afterCommit(() => {
      this.after = next;
    });
  }
}

/** Counts what can be counted, lays aside what never can, and leaves the rest where it is. */
async function count(tx: StageTransaction, parked: readonly Origin[], firstHour: number): Promise<void> {
  const ready: ReadyGroup[] = [];
  const done: Origin[] = [];
  for (const origin of parked) {
    const graded = fromBinary(RolloutsGradedSchema, origin.record.value ?? new Uint8Array());
    const counting = decideCounting(graded, firstHour);
    if (counting.kind === 'park') continue;
    done.push(origin);
    if (counting.kind === 'count') ready.push(counting);
    else await tx.layAside(origin, counting.code, counting.message);
  }
  await countGroups(tx, ready);
  await unpark(tx, done);
}

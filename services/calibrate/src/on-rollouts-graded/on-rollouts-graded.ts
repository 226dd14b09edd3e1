import { Controller } from '@nestjs/common';
import { topics } from '@tidemark/event-log';
import type { RolloutsGraded } from '@tidemark/proto';
import { type EventBatch, OnEvent, RecordFault, type StageEvent, type StageTransaction } from '@tidemark/stage-runtime';
import { firstOpenHour } from '../postgres/evidence.ts';
import { park } from '../postgres/parked.ts';
import { countGroups, type ReadyGroup } from './count-groups.ts';
import { decideCounting } from './decide-counting.ts';

/** `rollouts.graded` → evidence buckets. Whichever replica consumes a group adds to its bucket. */
@Controller()
export class OnRolloutsGraded {
  @OnEvent(topics.rolloutsGraded)
  async handle(batch: EventBatch<RolloutsGraded>, tx: StageTransaction): Promise<void> {
    const firstHour = await firstOpenHour(tx);
    const ready: ReadyGroup[] = [];
    const parked = [];
    for (const event of batch) {
      const counting = decideCounting(event.value, firstHour);
      switch (counting.kind) {
        case 'refuse':
          throw new RecordFault(counting.code, counting.message, event);
        case 'park':
          parked.push(asParked(event, counting.reason));
          break;
        case 'count':
          ready.push(counting);
          break;
      }
    }
    await countGroups(tx, ready);
    await park(tx, parked);
  }
}

const asParked = (event: StageEvent<RolloutsGraded>, reason: string) => ({
  origin: event,
  target: event.value.group?.target ?? '',
  reason,
});

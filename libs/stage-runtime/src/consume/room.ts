import type { FetchedBatch } from '@tidemark/event-log';
import { roomOf } from '../jobs/job-bounds.ts';
import { sleep } from '../sleep.ts';
import type { StageParts } from '../stage-parts.ts';
import type { OnEventOptions } from '../on-event.ts';

const LOOK_AGAIN_MS = 200;

/**
 * Waits until the job kinds that a handler feeds have room, keeping the membership. The bound is looked at before a
 * batch: each partition may go over it by the jobs of one batch.
 */
export async function untilRoom(
  { transactions, bounds }: StageParts,
  { feeds = [] }: OnEventOptions,
  batch: FetchedBatch,
  over: AbortSignal,
): Promise<void> {
  for (const { name } of feeds) {
    while (!over.aborted && (await roomOf(transactions, bounds, name)) === 0) {
      await sleep(LOOK_AGAIN_MS, over);
      await batch.heartbeat();
    }
  }
}

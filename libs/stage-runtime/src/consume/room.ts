import type { FetchedBatch } from '@tidemark/event-log';
import { countJobs } from '../jobs/job-table.ts';
import { sleep } from '../sleep.ts';
import type { StageParts } from '../stage-parts.ts';
import type { TopicHandler } from './topic-handler.ts';

const LOOK_AGAIN_MS = 200;

/**
 * Waits until the job kinds that a handler feeds have room, keeping the membership. The bound is looked at before a
 * batch: each partition may go over it by the jobs of one batch.
 */
export async function untilRoom(
  parts: StageParts,
  handler: TopicHandler,
  batch: FetchedBatch,
  over: AbortSignal,
): Promise<void> {
  for (const { name, bound } of handler.options.feeds ?? []) {
    while (!over.aborted && (await countJobs(parts.transactions, name, bound)) >= bound) {
      await sleep(LOOK_AGAIN_MS, over);
      await batch.heartbeat();
    }
  }
}

import { Controller } from '@nestjs/common';
import { topics } from '@tidemark/event-log';
import type { RolloutsRequested } from '@tidemark/proto';
import { type EventBatch, OnEvent, type StageTransaction } from '@tidemark/stage-runtime';
import { askJobs } from '../ask/ask-jobs.ts';
import { addRequests, lockRequests } from '../postgres/requests.ts';
import { settleRequests } from '../requests/settle-requests.ts';

/** `rollouts.requested` → a job that asks the target's endpoint, once problem and target are known. */
@Controller()
export class OnRolloutsRequested {
  @OnEvent(topics.rolloutsRequested, { feeds: [askJobs] })
  async handle(batch: EventBatch<RolloutsRequested>, tx: StageTransaction): Promise<void> {
    const requests = new Map(
      batch.events.map((event) => [event.value.requestId, { request: event.value, cause: event }]),
    );
    await lockRequests(tx, 'requests');
    const added = new Set(await addRequests(tx, [...requests.values()]));
    await settleRequests(
      tx,
      [...requests.values()].filter(({ request }) => added.has(request.requestId)),
    );
  }
}

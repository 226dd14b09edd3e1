import { Controller } from '@nestjs/common';
import { topics } from '@tidemark/event-log';
import type { TargetDeclared } from '@tidemark/proto';
import { type EventBatch, OnEvent, type StageTransaction } from '@tidemark/stage-runtime';
import { askJobs } from '../ask/ask-jobs.ts';
import { lockRequests, waitingRequests } from '../postgres/requests.ts';
import { saveTargets } from '../postgres/targets.ts';
import { settleRequests } from '../requests/settle-requests.ts';

/** `targets.declared` → where and how to ask, and the requests that waited for it. */
@Controller()
export class OnTargetDeclared {
  @OnEvent(topics.targetsDeclared, { feeds: [askJobs] })
  async handle(batch: EventBatch<TargetDeclared>, tx: StageTransaction): Promise<void> {
    const declarations = batch.events.map(({ value }) => value);
    await lockRequests(tx, 'requests');
    await saveTargets(tx, declarations);
    await settleRequests(tx, await waitingRequests(tx, { targets: declarations.map(({ target }) => target) }));
  }
}

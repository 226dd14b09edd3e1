import { Controller } from '@nestjs/common';
import { topics } from '@tidemark/event-log';
import type { ProblemWithdrawn } from '@tidemark/proto';
import { type EventBatch, OnEvent, type StageTransaction } from '@tidemark/stage-runtime';
import { withholding } from '../withholding.ts';

/** `problems.withdrawn` → nothing that an operator took out is passed on; let in again, what waited for that is. */
@Controller()
export class OnProblemWithdrawn {
  @OnEvent(topics.problemsWithdrawn)
  async handle(batch: EventBatch<ProblemWithdrawn>, tx: StageTransaction): Promise<void> {
    for (const { cause, value } of await withholding.note(tx, batch)) tx.publish(cause, topics.problemsRaw, value);
  }
}

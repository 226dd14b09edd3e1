import { Controller } from '@nestjs/common';
import { topics } from '@tidemark/event-log';
import type { ProblemWithdrawn } from '@tidemark/proto';
import { type EventBatch, OnEvent, type StageTransaction } from '@tidemark/stage-runtime';
import { saveWithdrawals } from '../postgres/problems.ts';

/** `problems.withdrawn` → no prompt is made of it any more; a job that is due looks here before it asks. */
@Controller()
export class OnProblemWithdrawn {
  @OnEvent(topics.problemsWithdrawn)
  async handle(batch: EventBatch<ProblemWithdrawn>, tx: StageTransaction): Promise<void> {
    await saveWithdrawals(
      tx,
      batch.events.map(({ value }) => ({
        problemId: value.problemId,
        stage: value.stage,
        version: value.takenBack ? 0 : value.version,
      })),
    );
  }
}

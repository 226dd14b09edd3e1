import { Controller } from '@nestjs/common';
import { topics } from '@tidemark/event-log';
import type { ProblemWithdrawn } from '@tidemark/proto';
import { type EventBatch, OnEvent, type StageTransaction } from '@tidemark/stage-runtime';
import { NormalizeProblems } from '../normalize-problems.ts';
import { withholding } from '../withholding.ts';

/** `problems.withdrawn` → nothing of it is passed on; taken back, what waited for that is. */
@Controller()
export class OnProblemWithdrawn {
  constructor(private readonly problems: NormalizeProblems) {}

  @OnEvent(topics.problemsWithdrawn)
  async handle(batch: EventBatch<ProblemWithdrawn>, tx: StageTransaction): Promise<void> {
    await this.problems.normalize(tx, await withholding.note(tx, batch));
  }
}

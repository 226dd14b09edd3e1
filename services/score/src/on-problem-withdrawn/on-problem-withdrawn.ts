import { Controller } from '@nestjs/common';
import { topics } from '@tidemark/event-log';
import type { ProblemWithdrawn } from '@tidemark/proto';
import { type EventBatch, OnEvent, type StageTransaction } from '@tidemark/stage-runtime';
import { ScoreProblems } from '../score-problems.ts';
import { withholding } from '../withholding.ts';

/** `problems.withdrawn` → nothing of it is scored; taken back, what waited for that is. */
@Controller()
export class OnProblemWithdrawn {
  constructor(private readonly problems: ScoreProblems) {}

  @OnEvent(topics.problemsWithdrawn)
  async handle(batch: EventBatch<ProblemWithdrawn>, tx: StageTransaction): Promise<void> {
    await this.problems.score(tx, await withholding.note(tx, batch), Date.now());
  }
}

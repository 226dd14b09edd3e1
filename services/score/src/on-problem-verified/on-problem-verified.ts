import { Controller } from '@nestjs/common';
import { topics } from '@tidemark/event-log';
import type { ProblemVerified } from '@tidemark/proto';
import { causedBy, type EventBatch, OnEvent, type StageTransaction } from '@tidemark/stage-runtime';
import { forgetScores } from '../postgres/scores.ts';
import { ScoreProblems } from '../score-problems.ts';
import { withholding } from '../withholding.ts';

/** `problems.verified` → `problems.scored`; what is withdrawn waits. */
@Controller()
export class OnProblemVerified {
  constructor(private readonly problems: ScoreProblems) {}

  @OnEvent(topics.problemsVerified)
  async handle(batch: EventBatch<ProblemVerified>, tx: StageTransaction): Promise<void> {
    await this.problems.score(tx, await withholding.pass(tx, causedBy(batch)), Date.now());
    for (const removed of batch.removed) tx.publishTombstone(removed, topics.problemsScored, removed.key);
    const gone = batch.removed.map(({ key }) => key);
    await forgetScores(tx, gone);
    await withholding.forget(tx, gone);
  }
}

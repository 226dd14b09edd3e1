import { Controller } from '@nestjs/common';
import { topics } from '@tidemark/event-log';
import type { ProblemScored } from '@tidemark/proto';
import { type EventBatch, OnEvent, type StageTransaction } from '@tidemark/stage-runtime';
import { saveScores } from '../postgres/problems.ts';

/** `problems.scored` → the score S, for priors of a calibration that has a curve. */
@Controller()
export class OnProblemScored {
  @OnEvent(topics.problemsScored)
  async handle(batch: EventBatch<ProblemScored>, tx: StageTransaction): Promise<void> {
    await saveScores(
      tx,
      batch.events.map(({ value }) => ({ problemId: value.problemId, version: value.version, score: value.score })),
    );
  }
}

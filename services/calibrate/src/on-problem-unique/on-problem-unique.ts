import { Controller } from '@nestjs/common';
import { topics } from '@tidemark/event-log';
import { type ProblemUnique, Split } from '@tidemark/proto';
import { type EventBatch, OnEvent, type StageTransaction } from '@tidemark/stage-runtime';
import { saveSplits } from '../postgres/problems.ts';

/** `problems.unique` → which side of the exam a problem lies on: held-out problems are not measured on command. */
@Controller()
export class OnProblemUnique {
  @OnEvent(topics.problemsUnique)
  async handle(batch: EventBatch<ProblemUnique>, tx: StageTransaction): Promise<void> {
    await saveSplits(
      tx,
      batch.events.map(({ value }) => ({
        problemId: value.problemId,
        version: value.version,
        // Whatever is not plainly on the trainers' side is treated as part of the exam.
        heldOut: value.split !== Split.TRAIN,
      })),
    );
  }
}

import { Controller } from '@nestjs/common';
import { topics } from '@tidemark/event-log';
import { type ProblemUnique, Split } from '@tidemark/proto';
import { type EventBatch, OnEvent, type StageTransaction } from '@tidemark/stage-runtime';
import { saveSplits, touchProblems } from '../postgres/problems.ts';

/** `problems.unique` → which side of the exam a problem lies on: only the trainers' side has difficulty. */
@Controller()
export class OnProblemUnique {
  @OnEvent(topics.problemsUnique)
  async handle(batch: EventBatch<ProblemUnique>, tx: StageTransaction): Promise<void> {
    const changed = await saveSplits(
      tx,
      batch.events.map(({ value }) => ({
        problemId: value.problemId,
        version: value.version,
        // Whatever is not plainly on the trainers' side is treated as part of the exam.
        heldOut: value.split !== Split.TRAIN,
      })),
    );
    // What a trusted submitter graded may have come before the side was known.
    await touchProblems(tx, changed, 'evidence');
  }
}

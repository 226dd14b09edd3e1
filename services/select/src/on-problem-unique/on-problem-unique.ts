import { Controller } from '@nestjs/common';
import { topics } from '@tidemark/event-log';
import { type ProblemUnique, Split } from '@tidemark/proto';
import { type EventBatch, OnEvent, type StageTransaction } from '@tidemark/stage-runtime';
import { markAllTargets } from '../postgres/marks.ts';

/** `problems.unique` → which side of the exam a problem is on; it may change without a new verification. */
@Controller()
export class OnProblemUnique {
  @OnEvent(topics.problemsUnique)
  async handle(batch: EventBatch<ProblemUnique>, tx: StageTransaction): Promise<void> {
    const changed = await tx.query(
      `INSERT INTO splits (problem_id, held_out) SELECT * FROM unnest($1::text[], $2::bool[])
       ON CONFLICT (problem_id) DO UPDATE SET held_out = excluded.held_out
       WHERE splits.held_out <> excluded.held_out
       RETURNING problem_id`,
      [batch.events.map(({ value }) => value.problemId), batch.events.map(({ value }) => value.split !== Split.TRAIN)],
    );
    if (changed.length > 0) await markAllTargets(tx);
  }
}

import { Controller } from '@nestjs/common';
import { topics } from '@tidemark/event-log';
import type { ProblemScored } from '@tidemark/proto';
import { type EventBatch, OnEvent, type StageTransaction } from '@tidemark/stage-runtime';
import { markAllTargets } from '../postgres/marks.ts';

/** `problems.scored` → the score from which a calibration's curve draws the prior of an unmeasured problem. */
@Controller()
export class OnProblemScored {
  @OnEvent(topics.problemsScored)
  async handle(batch: EventBatch<ProblemScored>, tx: StageTransaction): Promise<void> {
    await tx.query(
      `INSERT INTO scores (problem_id, version, score)
       SELECT * FROM unnest($1::text[], $2::int[], $3::double precision[])
       ON CONFLICT (problem_id) DO UPDATE SET version = excluded.version, score = excluded.score
       WHERE scores.version <= excluded.version`,
      [
        batch.events.map(({ value }) => value.problemId),
        batch.events.map(({ value }) => value.version),
        batch.events.map(({ value }) => value.score),
      ],
    );
    await markAllTargets(tx);
  }
}

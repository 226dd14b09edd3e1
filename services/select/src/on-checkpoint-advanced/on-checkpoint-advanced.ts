import { Controller } from '@nestjs/common';
import { topics } from '@tidemark/event-log';
import type { CheckpointAdvanced } from '@tidemark/proto';
import { type EventBatch, OnEvent, type StageTransaction } from '@tidemark/stage-runtime';
import { markTargets } from '../postgres/marks.ts';

/** `checkpoints.advanced` → retests are drawn anew. */
@Controller()
export class OnCheckpointAdvanced {
  @OnEvent(topics.checkpointsAdvanced)
  async handle(batch: EventBatch<CheckpointAdvanced>, tx: StageTransaction): Promise<void> {
    await tx.query(
      `INSERT INTO checkpoints (target, checkpoint, ordinal) SELECT * FROM unnest($1::text[], $2::text[], $3::int[])
       ON CONFLICT (target, checkpoint) DO UPDATE SET ordinal = excluded.ordinal`,
      [
        batch.events.map(({ value }) => value.target),
        batch.events.map(({ value }) => value.checkpoint),
        batch.events.map(({ value }) => value.ordinal),
      ],
    );
    await markTargets(
      tx,
      batch.events.map(({ value }) => value.target),
    );
  }
}

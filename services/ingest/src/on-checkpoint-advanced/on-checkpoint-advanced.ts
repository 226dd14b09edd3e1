import { Controller } from '@nestjs/common';
import { topics } from '@tidemark/event-log';
import type { CheckpointAdvanced } from '@tidemark/proto';
import { type EventBatch, OnEvent, type StageTransaction } from '@tidemark/stage-runtime';

/** `checkpoints.advanced` → groups of that checkpoint may pass. */
@Controller()
export class OnCheckpointAdvanced {
  @OnEvent(topics.checkpointsAdvanced)
  async handle(batch: EventBatch<CheckpointAdvanced>, tx: StageTransaction): Promise<void> {
    const checkpoints = batch.events.map(({ value }) => value);
    await tx.query(
      `INSERT INTO checkpoints (target, checkpoint, target_version)
       SELECT * FROM unnest($1::text[], $2::text[], $3::int[])
       ON CONFLICT (target, checkpoint) DO UPDATE SET target_version = excluded.target_version`,
      [
        checkpoints.map((one) => one.target),
        checkpoints.map((one) => one.checkpoint),
        checkpoints.map((one) => one.targetVersion),
      ],
    );
  }
}

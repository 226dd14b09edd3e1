import { Controller } from '@nestjs/common';
import { topics } from '@tidemark/event-log';
import { type CheckpointAdvanced, EvaluationTrigger } from '@tidemark/proto';
import { type EventBatch, OnEvent, type StageTransaction } from '@tidemark/stage-runtime';
import { requestReevaluation, saveCheckpoint } from '../postgres/targets.ts';

/** `checkpoints.advanced` → older evidence weighs less; an evaluation point. */
@Controller()
export class OnCheckpointAdvanced {
  @OnEvent(topics.checkpointsAdvanced)
  async handle(batch: EventBatch<CheckpointAdvanced>, tx: StageTransaction): Promise<void> {
    for (const { value } of batch)
      if (await saveCheckpoint(tx, value.target, value.checkpoint, value.ordinal))
        await requestReevaluation(tx, value.target, EvaluationTrigger.CHECKPOINT);
  }
}

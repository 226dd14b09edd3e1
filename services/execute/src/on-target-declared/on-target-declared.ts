import { Controller } from '@nestjs/common';
import { topics } from '@tidemark/event-log';
import type { TargetDeclared } from '@tidemark/proto';
import { type EventBatch, OnEvent, type StageTransaction } from '@tidemark/stage-runtime';
import { saveTargets } from '../postgres/targets.ts';

/** `targets.declared` → how its answers are read; groups that waited for it are found by the next turn of the timer. */
@Controller()
export class OnTargetDeclared {
  @OnEvent(topics.targetsDeclared)
  async handle(batch: EventBatch<TargetDeclared>, tx: StageTransaction): Promise<void> {
    await saveTargets(
      tx,
      batch.events.map(({ value }) => value),
    );
  }
}

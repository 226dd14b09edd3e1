import { Controller } from '@nestjs/common';
import { topics } from '@tidemark/event-log';
import type { TargetDeclared } from '@tidemark/proto';
import { type EventBatch, OnEvent, type StageTransaction } from '@tidemark/stage-runtime';

/** `targets.declared` → groups of that target may pass; those that waited are found by the next turn of the timer. */
@Controller()
export class OnTargetDeclared {
  @OnEvent(topics.targetsDeclared)
  async handle(batch: EventBatch<TargetDeclared>, tx: StageTransaction): Promise<void> {
    const targets = batch.events.map(({ value }) => value);
    await tx.query(
      `INSERT INTO targets (target, version, group_size)
       SELECT * FROM unnest($1::text[], $2::int[], $3::int[])
       ON CONFLICT (target, version) DO UPDATE SET group_size = excluded.group_size`,
      [targets.map((one) => one.target), targets.map((one) => one.version), targets.map((one) => one.groupSize)],
    );
  }
}

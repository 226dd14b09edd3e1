import { Controller } from '@nestjs/common';
import { toJson } from '@bufbuild/protobuf';
import { topics } from '@tidemark/event-log';
import { type HeldoutEvaluated, HeldoutEvaluatedSchema } from '@tidemark/proto';
import { type EventBatch, OnEvent, type StageTransaction } from '@tidemark/stage-runtime';
import { upsertRows } from '../postgres/table.ts';
import { heldoutEvaluations } from '../postgres/tables.ts';
import { dateOf } from '../read-model/json.ts';

/** `heldout.evaluated` → results of the exam. */
@Controller()
export class OnHeldoutEvaluated {
  @OnEvent(topics.heldoutEvaluated)
  async handle(batch: EventBatch<HeldoutEvaluated>, tx: StageTransaction): Promise<void> {
    const rows = batch.events.map(({ id, value }) => ({
      event_id: id,
      target: value.target,
      record: toJson(HeldoutEvaluatedSchema, value),
      evaluated_at: dateOf(value.evaluatedAt),
    }));
    await upsertRows(tx, heldoutEvaluations, rows);
  }
}

import { Controller } from '@nestjs/common';
import { toJson } from '@bufbuild/protobuf';
import { topics } from '@tidemark/event-log';
import { type CalibrationPublished, CalibrationPublishedSchema } from '@tidemark/proto';
import { type EventBatch, OnEvent, type StageTransaction } from '@tidemark/stage-runtime';
import { upsertRows } from '../postgres/table.ts';
import { calibrations } from '../postgres/tables.ts';

/** `calibrations.published` → every calibration of a target. */
@Controller()
export class OnCalibrationPublished {
  @OnEvent(topics.calibrationsPublished)
  async handle(batch: EventBatch<CalibrationPublished>, tx: StageTransaction): Promise<void> {
    const rows = batch.events.map(({ value }) => ({
      target: value.target,
      version: value.version,
      record: toJson(CalibrationPublishedSchema, value),
    }));
    await upsertRows(tx, calibrations, rows);
  }
}

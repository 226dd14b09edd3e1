import { toBinary } from '@bufbuild/protobuf';
import { Controller } from '@nestjs/common';
import { topics } from '@tidemark/event-log';
import { type CalibrationPublished, CalibrationPublishedSchema } from '@tidemark/proto';
import { type EventBatch, OnEvent, type StageTransaction } from '@tidemark/stage-runtime';
import { markTargets } from '../postgres/marks.ts';

/** `calibrations.published` → priors of unmeasured problems; nothing is rewritten but the working set. */
@Controller()
export class OnCalibrationPublished {
  @OnEvent(topics.calibrationsPublished)
  async handle(batch: EventBatch<CalibrationPublished>, tx: StageTransaction): Promise<void> {
    const calibrations = batch.events.map(({ value }) => value);
    await tx.query(
      `INSERT INTO calibrations (target, version, target_version, calibration)
       SELECT * FROM unnest($1::text[], $2::int[], $3::int[], $4::bytea[])
       ON CONFLICT (target, version) DO UPDATE SET calibration = excluded.calibration`,
      [
        calibrations.map((one) => one.target),
        calibrations.map((one) => one.version),
        calibrations.map((one) => one.targetVersion),
        calibrations.map((one) => Buffer.from(toBinary(CalibrationPublishedSchema, one))),
      ],
    );
    await markTargets(
      tx,
      calibrations.map((one) => one.target),
    );
  }
}

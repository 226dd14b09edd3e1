import { create } from '@bufbuild/protobuf';
import { timestampNow } from '@bufbuild/protobuf/wkt';
import { Controller } from '@nestjs/common';
import { FLAT_PRIOR } from '@tidemark/difficulty';
import { topics } from '@tidemark/event-log';
import {
  CalibrationPublishedSchema,
  CalibrationStrength,
  EvaluationTrigger,
  type TargetDeclared,
} from '@tidemark/proto';
import { type EventBatch, OnEvent, RecordFault, type StageTransaction } from '@tidemark/stage-runtime';
import { addCalibration, requestReevaluation, saveTargetVersion } from '../postgres/targets.ts';
import { decideSettings } from './decide-settings.ts';

/**
 * `targets.declared` → the target's settings and, for each new version, a calibration. No panel has been measured yet: it
 * is weak and only says that every pass rate is alike.
 */
@Controller()
export class OnTargetDeclared {
  @OnEvent(topics.targetsDeclared)
  async handle(batch: EventBatch<TargetDeclared>, tx: StageTransaction): Promise<void> {
    for (const event of batch) {
      const decision = decideSettings(event.value);
      if (decision.kind === 'unusable') throw new RecordFault('unusable_target', decision.faults.join('; '), event);
      const { target, version } = decision.settings;
      if (!(await saveTargetVersion(tx, decision.settings))) continue;
      const calibration = await addCalibration(tx, target, version, FLAT_PRIOR);
      tx.publish(
        event,
        topics.calibrationsPublished,
        create(CalibrationPublishedSchema, {
          target,
          version: calibration,
          targetVersion: version,
          strength: CalibrationStrength.WEAK,
          weakReason: 'no panel',
          priorAlpha: FLAT_PRIOR.alpha,
          priorBeta: FLAT_PRIOR.beta,
          publishedAt: timestampNow(),
        }),
      );
      await requestReevaluation(tx, target, EvaluationTrigger.CALIBRATION);
    }
  }
}

import { Injectable } from '@nestjs/common';
import { topics } from '@tidemark/event-log';
import { CommandOutcome } from '@tidemark/proto';
import { causeOf, type HeldLease, InjectConfig, StageDatabase, type StageTransaction } from '@tidemark/stage-runtime';
import type { CalibrateConfig } from '../calibrate.config.ts';
import { completeCommand } from '../complete-command.ts';
import {
  countBins,
  countParked,
  loadStored,
  loadTarget,
  loadWaiting,
  removeEstimates,
  saveEstimates,
  settle,
} from '../postgres/evaluations.ts';
import { loadEvidence } from '../postgres/load-evidence.ts';
import { checkpointAges } from './checkpoint-ages.ts';
import { decideDue } from './decide-due.ts';
import { decideEstimates } from './decide-estimates.ts';
import { type EvaluationPoint, toDifficultyEstimated, toEvaluationRecorded } from './to-events.ts';

/** Makes evaluation points: the only moments at which a problem's bin may change. */
@Injectable()
export class Evaluator {
  constructor(
    private readonly database: StageDatabase,
    @InjectConfig() private readonly config: CalibrateConfig,
  ) {}

  /**
   * Evaluates a target if it is at an evaluation point.
   *
   * Buckets, offsets and estimates are read in one repeatable-read snapshot, under the owner's lease: the offsets that
   * the evaluation publishes are exactly those of its evidence, and no other replica evaluates beside it.
   *
   * @returns whether it evaluated
   * @throws LeaseLostError when another replica owns the target by now
   */
  async evaluate(target: string, lease: HeldLease): Promise<boolean> {
    return this.database.transaction(
      'evaluate',
      async (tx) => {
        await tx.assertLease(lease);
        const point = await this.makePoint(tx, target);
        if (point) this.publish(tx, point);
        return point !== undefined;
      },
      { isolation: 'repeatable read' },
    );
  }

  private async makePoint(tx: StageTransaction, target: string): Promise<(EvaluationPoint & Vanished) | undefined> {
    const inForce = await loadTarget(tx, target);
    const due = decideDue(await loadWaiting(tx, target), this.config);
    if (!inForce || !due) return undefined;
    const { settings, line, calibration } = inForce;
    const evidence = await loadEvidence(tx, target, settings.version, due.scope, checkpointAges(line));
    const stored = await loadStored(tx, target, due.scope);
    const { changed, vanished } = decideEstimates(evidence, stored, {
      targetVersion: settings.version,
      prior: { alpha: calibration.priorAlpha, beta: calibration.priorBeta },
      retention: settings.retention,
      bins: settings.bins,
      intervalLevel: this.config.intervalLevel,
    });
    const { number, countedGroups } = await settle(tx, target, due.requestIds);
    await saveEstimates(tx, target, changed);
    await removeEstimates(tx, target, vanished);
    return {
      number,
      target: inForce,
      due,
      offsets: await tx.storedOffsets(topics.rolloutsGraded),
      countedGroups,
      parkedGroups: await countParked(tx, target),
      estimates: changed,
      vanished,
      bins: await countBins(tx, target),
      intervalLevel: this.config.intervalLevel,
    };
  }

  private publish(tx: StageTransaction, point: EvaluationPoint & Vanished): void {
    const { target } = point.target.settings;
    const cause = causeOf(`evaluation/${target}/${point.number}`);
    const recorded = toEvaluationRecorded(point);
    for (const estimated of toDifficultyEstimated(point)) tx.publish(cause, topics.difficultyEstimated, estimated);
    for (const problemId of point.vanished)
      tx.publishTombstone(cause, topics.difficultyEstimated, `${target}:${problemId}`);
    tx.publish(cause, topics.evaluationsRecorded, recorded);
    if (point.due.commandId !== '')
      completeCommand(tx, cause, point.due.commandId, {
        outcome: CommandOutcome.DONE,
        message: `Evaluation ${point.number} of ${target}: ${recorded.estimates} estimates changed, ${recorded.movedCount} problems moved.`,
        results: {
          evaluation: point.number.toString(),
          estimates: String(recorded.estimates),
          moved: String(recorded.movedCount),
          groups: point.countedGroups.toString(),
        },
      });
  }
}

interface Vanished {
  /** Problems whose evidence left force: their estimates are removed. */
  readonly vanished: readonly string[];
}

import { create } from '@bufbuild/protobuf';
import { type Timestamp, timestampNow } from '@bufbuild/protobuf/wkt';
import type { Bin as BinName, BinSettings } from '@tidemark/difficulty';
import {
  Bin,
  BinCutsSchema,
  type DifficultyEstimated,
  DifficultyEstimatedSchema,
  EvidenceCutSchema,
  type EvaluationRecorded,
  EvaluationRecordedSchema,
} from '@tidemark/proto';
import type { StoredOffsets } from '@tidemark/stage-runtime';
import type { TargetInForce } from '../postgres/evaluations.ts';
import { type Checkpoint, checkpointInForce } from './checkpoint-ages.ts';
import type { Due } from './decide-due.ts';
import type { Estimate } from './decide-estimates.ts';

/** Moves that one event lists at most: an event stays small, the count says how many there were. */
const MOST_MOVES_LISTED = 1000;

const BIN_OF: Readonly<Record<BinName, Bin>> = {
  mastered: Bin.MASTERED,
  easy: Bin.EASY,
  medium: Bin.MEDIUM,
  hard: Bin.HARD,
  unsolved: Bin.UNSOLVED,
};

/** All that one evaluation point used and found. */
export interface EvaluationPoint {
  readonly number: bigint;
  readonly target: TargetInForce;
  readonly due: Due;
  readonly offsets: StoredOffsets | undefined;
  readonly countedGroups: bigint;
  readonly parkedGroups: number;
  readonly estimates: readonly Estimate[];
  /** Problems of the target by bin, after it. */
  readonly bins: Readonly<Record<string, number>>;
  readonly intervalLevel: number;
}

/** `difficulty.estimated` of every problem that changed. */
export function toDifficultyEstimated(point: EvaluationPoint, at: Timestamp = timestampNow()): DifficultyEstimated[] {
  const { settings, line, calibration } = point.target;
  const checkpoint = checkpointInForce(line);
  return point.estimates.map((estimate) =>
    create(DifficultyEstimatedSchema, {
      target: settings.target,
      problemId: estimate.problemId,
      version: estimate.problemVersion,
      targetVersion: estimate.targetVersion,
      suiteHash: estimate.suiteHash,
      alpha: estimate.alpha,
      beta: estimate.beta,
      mean: estimate.mean,
      interval: { ...estimate.interval, level: point.intervalLevel, method: 'highest-density' },
      attempts: estimate.attempts,
      passes: estimate.passes,
      truncated: estimate.truncated,
      environmentFailures: estimate.environment,
      bin: BIN_OF[estimate.bin],
      previousBin: estimate.previousBin ? BIN_OF[estimate.previousBin] : Bin.UNSPECIFIED,
      reason: estimate.reason,
      masses: { ...estimate.masses },
      evaluation: point.number,
      calibrationVersion: calibration.version,
      checkpoint: checkpoint.checkpoint,
      estimatedAt: at,
      predicted: estimate.predicted,
      evidenceCheckpoint: estimate.evidenceCheckpoint,
    }),
  );
}

/** `evaluations.recorded`: what a recount needs to come to the same posteriors and bins. */
export function toEvaluationRecorded(point: EvaluationPoint, at: Timestamp = timestampNow()): EvaluationRecorded {
  const { settings, line, calibration } = point.target;
  const checkpoint: Checkpoint = checkpointInForce(line);
  const moved = point.estimates.filter(({ bin, previousBin }) => previousBin !== undefined && previousBin !== bin);
  return create(EvaluationRecordedSchema, {
    target: settings.target,
    number: point.number,
    targetVersion: settings.version,
    checkpoint: checkpoint.checkpoint,
    checkpointOrdinal: checkpoint.ordinal,
    calibrationVersion: calibration.version,
    trigger: point.due.trigger,
    cut: create(EvidenceCutSchema, {
      incarnation: point.offsets?.incarnation ?? '',
      positions: (point.offsets?.positions ?? []).map(({ partition, next }) => ({ partition, nextOffset: next })),
      groups: point.countedGroups,
      waitingGroups: BigInt(point.parkedGroups),
    }),
    estimates: point.estimates.length,
    moves: moved.slice(0, MOST_MOVES_LISTED).map(({ problemId, previousBin, bin, reason }) => ({
      problemId,
      from: previousBin ? BIN_OF[previousBin] : Bin.UNSPECIFIED,
      to: BIN_OF[bin],
      reason,
    })),
    movedCount: moved.length,
    bins: { ...point.bins },
    evaluatedAt: at,
    cuts: toCuts(settings.bins),
    retention: settings.retention,
    commandId: point.due.commandId,
  });
}

const toCuts = (bins: BinSettings) => create(BinCutsSchema, { ...bins });

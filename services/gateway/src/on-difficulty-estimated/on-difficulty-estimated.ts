import { Controller } from '@nestjs/common';
import { topics } from '@tidemark/event-log';
import { Bin, type DifficultyEstimated } from '@tidemark/proto';
import { type EventBatch, OnEvent, type StageTransaction } from '@tidemark/stage-runtime';
import { keepPoints } from '../console/kept/keep-points.ts';
import { deleteRows, type RowOf, upsertRows } from '../postgres/table.ts';
import { type binMoves, difficulties } from '../postgres/tables.ts';
import { addMoves } from '../read-model/add-moves.ts';
import { dateOf, intervalJson } from '../read-model/json.ts';
import { targetAndProblemOf } from '../read-model/keys.ts';
import { Rates } from '../status/rates.ts';

/** `difficulty.estimated` → the newest estimate per target, and the moves that it tells of. */
@Controller()
export class OnDifficultyEstimated {
  constructor(private readonly rates: Rates) {}

  @OnEvent(topics.difficultyEstimated)
  async handle(batch: EventBatch<DifficultyEstimated>, tx: StageTransaction): Promise<void> {
    const events = batch.events.map(({ value }) => value);
    const moved = events.filter(({ bin, previousBin }) => previousBin !== Bin.UNSPECIFIED && previousBin !== bin);
    await upsertRows(tx, difficulties, events.map(rowOf));
    await keepPoints(tx, events);
    await addMoves(tx, moved.map(moveOf));
    const removed = batch.removed.map(({ key }) => targetAndProblemOf(key));
    await deleteRows(
      tx,
      difficulties,
      removed.map(({ target, problemId }) => [target, problemId]),
    );
    tx.afterCommit(() => this.rates.count('estimates', events.length));
  }
}

const rowOf = (event: DifficultyEstimated): RowOf<typeof difficulties> => ({
  target: event.target,
  problem_id: event.problemId,
  version: event.version,
  target_version: event.targetVersion,
  suite_hash: event.suiteHash,
  alpha: event.alpha,
  beta: event.beta,
  mean: event.mean,
  pass_interval: intervalJson(event.interval),
  attempts: event.attempts,
  passes: event.passes,
  truncated: event.truncated,
  environment_failures: event.environmentFailures,
  bin: event.bin,
  previous_bin: event.previousBin,
  reason: event.reason,
  masses: event.masses,
  evaluation: event.evaluation,
  calibration_version: event.calibrationVersion,
  checkpoint: event.checkpoint,
  estimated_at: dateOf(event.estimatedAt),
});

const moveOf = (event: DifficultyEstimated): RowOf<typeof binMoves> => ({
  target: event.target,
  evaluation: event.evaluation,
  problem_id: event.problemId,
  from_bin: event.previousBin,
  to_bin: event.bin,
  reason: event.reason,
  moved_at: dateOf(event.estimatedAt),
});

import { Controller } from '@nestjs/common';
import { toJson } from '@bufbuild/protobuf';
import { topics } from '@tidemark/event-log';
import { type EvaluationRecorded, EvaluationRecordedSchema } from '@tidemark/proto';
import { type EventBatch, OnEvent, type StageTransaction } from '@tidemark/stage-runtime';
import { type RowOf, upsertRows } from '../postgres/table.ts';
import { type binMoves, evaluations } from '../postgres/tables.ts';
import { addMoves } from '../read-model/add-moves.ts';
import { dateOf } from '../read-model/json.ts';

/** `evaluations.recorded` → the numbered points at which bins change, and the moves. */
@Controller()
export class OnEvaluationRecorded {
  @OnEvent(topics.evaluationsRecorded)
  async handle(batch: EventBatch<EvaluationRecorded>, tx: StageTransaction): Promise<void> {
    const events = batch.events.map(({ value }) => value);
    await upsertRows(tx, evaluations, events.map(rowOf));
    await addMoves(tx, events.flatMap(movesOf));
  }
}

const rowOf = (event: EvaluationRecorded): RowOf<typeof evaluations> => ({
  target: event.target,
  number: event.number,
  // Moves have rows of their own.
  record: toJson(EvaluationRecordedSchema, { ...event, moves: [] }),
  evaluated_at: dateOf(event.evaluatedAt),
});

const movesOf = (event: EvaluationRecorded): RowOf<typeof binMoves>[] =>
  event.moves
    .filter(({ from, to }) => from !== to)
    .map((move) => ({
      target: event.target,
      evaluation: event.number,
      problem_id: move.problemId,
      from_bin: move.from,
      to_bin: move.to,
      reason: move.reason,
      moved_at: dateOf(event.evaluatedAt),
    }));

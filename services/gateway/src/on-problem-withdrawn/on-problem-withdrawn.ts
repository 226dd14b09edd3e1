import { Controller } from '@nestjs/common';
import { topics } from '@tidemark/event-log';
import type { ProblemWithdrawn } from '@tidemark/proto';
import { type EventBatch, OnEvent, type StageTransaction } from '@tidemark/stage-runtime';
import { deleteRows, type RowOf, upsertRows } from '../postgres/table.ts';
import { withdrawals } from '../postgres/tables.ts';
import { dateOf, evidenceJson } from '../read-model/json.ts';
import { problemAndStageOf } from '../read-model/keys.ts';
import { VisibleStates } from '../read-model/visible-states.ts';

/** `problems.withdrawn` → which stage withdraws which versions, also of problems not known yet. */
@Controller()
export class OnProblemWithdrawn {
  constructor(private readonly states: VisibleStates) {}

  @OnEvent(topics.problemsWithdrawn)
  async handle(batch: EventBatch<ProblemWithdrawn>, tx: StageTransaction): Promise<void> {
    const events = batch.events.map(({ value }) => value);
    const removed = batch.removed.map(({ key }) => problemAndStageOf(key));
    await this.states.refresh(
      tx,
      [...events, ...removed].map(({ problemId }) => problemId),
      async () => {
        await upsertRows(tx, withdrawals, events.map(withdrawalRow));
        await deleteRows(
          tx,
          withdrawals,
          removed.map(({ problemId, stage }) => [problemId, stage]),
        );
      },
    );
  }
}

/** What a stage says, as it is kept. */
export const withdrawalRow = (event: ProblemWithdrawn): RowOf<typeof withdrawals> => ({
  problem_id: event.problemId,
  stage: event.stage,
  version: event.version,
  reason: event.reason,
  evidence: evidenceJson(event.evidence),
  successor_id: event.successorId,
  taken_back: event.takenBack,
  withdrawn_at: dateOf(event.withdrawnAt),
});

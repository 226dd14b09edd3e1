import { Controller } from '@nestjs/common';
import { topics } from '@tidemark/event-log';
import { type ProblemStatus, Stage } from '@tidemark/proto';
import { type EventBatch, OnEvent, type StageTransaction } from '@tidemark/stage-runtime';
import { deleteRows, type RowOf, upsertRows } from '../postgres/table.ts';
import { stageStatuses } from '../postgres/tables.ts';
import { dateOf, evidenceJson } from '../read-model/json.ts';
import { problemAndStageOf } from '../read-model/keys.ts';
import { learnNames } from '../read-model/learn-names.ts';
import { Rates } from '../status/rates.ts';
import { VisibleStates } from '../read-model/visible-states.ts';

/** `problems.status` → what each stage says, and the one visible state that follows. */
@Controller()
export class OnProblemStatus {
  constructor(
    private readonly states: VisibleStates,
    private readonly rates: Rates,
  ) {}

  @OnEvent(topics.problemsStatus)
  async handle(batch: EventBatch<ProblemStatus>, tx: StageTransaction): Promise<void> {
    const statuses = batch.events.map(({ value }) => value);
    const removed = batch.removed.map(({ key }) => problemAndStageOf(key));
    await this.states.refresh(
      tx,
      [...statuses, ...removed].map(({ problemId }) => problemId),
      async () => {
        await upsertRows(tx, stageStatuses, statuses.map(rowOf));
        await deleteRows(
          tx,
          stageStatuses,
          removed.map(({ problemId, stage }) => [problemId, stage]),
        );
        await learnNames(
          tx,
          statuses.filter(({ stage }) => stage !== Stage.NORMALIZE),
          false,
        );
        await learnNames(
          tx,
          statuses.filter(({ stage }) => stage === Stage.NORMALIZE),
          true,
        );
      },
    );
    tx.afterCommit(() => this.rates.count('statuses', statuses.length));
  }
}

const rowOf = (status: ProblemStatus): RowOf<typeof stageStatuses> => ({
  problem_id: status.problemId,
  stage: status.stage,
  version: status.version,
  outcome: status.outcome,
  reason: status.reason,
  message: status.message,
  evidence: evidenceJson(status.evidence),
  decided_at: dateOf(status.decidedAt),
});

import { Controller } from '@nestjs/common';
import { topics } from '@tidemark/event-log';
import type { ProblemUnique } from '@tidemark/proto';
import { type EventBatch, OnEvent, type StageTransaction } from '@tidemark/stage-runtime';
import { deleteRows, type RowOf, upsertRows } from '../postgres/table.ts';
import { uniqueProblems } from '../postgres/tables.ts';
import { VisibleStates } from '../read-model/visible-states.ts';

/** `problems.unique` → cluster, founder and side of the exam. */
@Controller()
export class OnProblemUnique {
  constructor(private readonly states: VisibleStates) {}

  @OnEvent(topics.problemsUnique)
  async handle(batch: EventBatch<ProblemUnique>, tx: StageTransaction): Promise<void> {
    const events = batch.events.map(({ value }) => value);
    const removed = batch.removed.map(({ key }) => key);
    await this.states.refresh(tx, [...events.map(({ problemId }) => problemId), ...removed], async () => {
      await upsertRows(tx, uniqueProblems, events.map(rowOf));
      await deleteRows(
        tx,
        uniqueProblems,
        removed.map((id) => [id]),
      );
    });
  }
}

const rowOf = (event: ProblemUnique): RowOf<typeof uniqueProblems> => ({
  problem_id: event.problemId,
  version: event.version,
  cluster_id: event.clusterId,
  founder_id: event.founderId,
  split: event.split,
  cluster_size: event.clusterSize,
  equal_statements: event.equalStatements,
  checked_benchmarks: event.checkedBenchmarks,
});

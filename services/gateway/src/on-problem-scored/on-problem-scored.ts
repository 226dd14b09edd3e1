import { Controller } from '@nestjs/common';
import { topics } from '@tidemark/event-log';
import type { ProblemScored } from '@tidemark/proto';
import { type EventBatch, OnEvent, type StageTransaction } from '@tidemark/stage-runtime';
import { deleteRows, type RowOf, upsertRows } from '../postgres/table.ts';
import { scoredProblems } from '../postgres/tables.ts';
import { producerJson } from '../read-model/json.ts';
import { VisibleStates } from '../read-model/visible-states.ts';

/** `problems.scored` → the predicted difficulty and what produced it. */
@Controller()
export class OnProblemScored {
  constructor(private readonly states: VisibleStates) {}

  @OnEvent(topics.problemsScored)
  async handle(batch: EventBatch<ProblemScored>, tx: StageTransaction): Promise<void> {
    const events = batch.events.map(({ value }) => value);
    const removed = batch.removed.map(({ key }) => key);
    await this.states.refresh(tx, [...events.map(({ problemId }) => problemId), ...removed], async () => {
      await upsertRows(tx, scoredProblems, events.map(rowOf));
      await deleteRows(
        tx,
        scoredProblems,
        removed.map((id) => [id]),
      );
    });
  }
}

function rowOf(event: ProblemScored): RowOf<typeof scoredProblems> {
  const { mean } = event;
  return {
    problem_id: event.problemId,
    version: event.version,
    suite_hash: event.suiteHash,
    score: event.score,
    dimensions:
      mean === undefined
        ? null
        : {
            comprehension: mean.comprehension,
            knowledge: mean.knowledge,
            algorithmic: mean.algorithmic,
            implementation: mean.implementation,
            optimisation: mean.optimisation,
          },
    features: event.features,
    predictor: producerJson(event.predictor),
    assessments: event.assessments.length,
  };
}

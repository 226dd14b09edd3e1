import { Controller } from '@nestjs/common';
import { topics } from '@tidemark/event-log';
import { type ProblemWithdrawn, Stage } from '@tidemark/proto';
import { type EventBatch, OnEvent, type StageTransaction } from '@tidemark/stage-runtime';
import { exclude } from '../clusters/exclude.ts';
import { Reconciler } from '../clusters/reconciler.ts';

/** `problems.withdrawn` of the other stages → the next of a cluster represents; taken back, the first one does again. */
@Controller()
export class OnProblemWithdrawn {
  constructor(private readonly reconciler: Reconciler) {}

  @OnEvent(topics.problemsWithdrawn)
  async handle(batch: EventBatch<ProblemWithdrawn>, tx: StageTransaction): Promise<void> {
    await exclude(
      tx,
      this.reconciler,
      batch.events
        .filter(({ value }) => value.stage !== Stage.DEDUP)
        .map((event) => ({
          problemId: event.value.problemId,
          source: `${Stage[event.value.stage] ?? event.value.stage} withdrew`,
          version: event.value.takenBack ? 0 : event.value.version,
          cause: event,
        })),
    );
  }
}

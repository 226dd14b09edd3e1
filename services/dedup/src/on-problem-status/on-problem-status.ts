import { Controller } from '@nestjs/common';
import { topics } from '@tidemark/event-log';
import { type ProblemStatus, Stage, StageOutcome } from '@tidemark/proto';
import { type EventBatch, OnEvent, type StageTransaction } from '@tidemark/stage-runtime';
import { exclude } from '../clusters/exclude.ts';
import { Reconciler } from '../clusters/reconciler.ts';

/** `problems.status` of execute → the next of a cluster represents when the first one is rejected. */
@Controller()
export class OnProblemStatus {
  constructor(private readonly reconciler: Reconciler) {}

  @OnEvent(topics.problemsStatus)
  async handle(batch: EventBatch<ProblemStatus>, tx: StageTransaction): Promise<void> {
    const verdicts = batch.events.filter(
      ({ value }) =>
        value.stage === Stage.EXECUTE &&
        (value.outcome === StageOutcome.REJECTED || value.outcome === StageOutcome.PASSED),
    );
    await exclude(
      tx,
      this.reconciler,
      verdicts.map((event) => ({
        problemId: event.value.problemId,
        source: 'EXECUTE rejected',
        version: event.value.outcome === StageOutcome.REJECTED ? event.value.version : 0,
        cause: event,
      })),
    );
  }
}

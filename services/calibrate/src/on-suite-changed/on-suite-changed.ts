import { Controller } from '@nestjs/common';
import { topics } from '@tidemark/event-log';
import type { SuiteChanged } from '@tidemark/proto';
import { type EventBatch, OnEvent, type StageTransaction } from '@tidemark/stage-runtime';
import { saveSuiteChanges, touchProblems } from '../postgres/problems.ts';

/** `suites.changed` → the old suite's buckets go on counting until a regrade completes, then the new one's count. */
@Controller()
export class OnSuiteChanged {
  @OnEvent(topics.suitesChanged)
  async handle(batch: EventBatch<SuiteChanged>, tx: StageTransaction): Promise<void> {
    await saveSuiteChanges(
      tx,
      batch.events.map(({ value }) => value),
    );
    await touchProblems(
      tx,
      batch.events.map(({ value }) => value.problemId),
    );
  }
}

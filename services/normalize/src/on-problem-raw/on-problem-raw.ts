import { Controller } from '@nestjs/common';
import { topics } from '@tidemark/event-log';
import type { ProblemRaw } from '@tidemark/proto';
import { causedBy, type EventBatch, OnEvent, type StageTransaction } from '@tidemark/stage-runtime';
import { NormalizeProblems } from '../normalize-problems.ts';
import { withholding } from '../withholding.ts';

/** `problems.raw` → `problems.normalized`, or a status that says why not; what is withdrawn waits. */
@Controller()
export class OnProblemRaw {
  constructor(private readonly problems: NormalizeProblems) {}

  @OnEvent(topics.problemsRaw, { maxBatchRecords: 200 })
  async handle(batch: EventBatch<ProblemRaw>, tx: StageTransaction): Promise<void> {
    await this.problems.normalize(tx, await withholding.pass(tx, causedBy(batch)));
  }
}

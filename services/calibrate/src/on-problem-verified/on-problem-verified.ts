import { Controller } from '@nestjs/common';
import { topics } from '@tidemark/event-log';
import type { ProblemVerified } from '@tidemark/proto';
import { type EventBatch, OnEvent, type StageTransaction } from '@tidemark/stage-runtime';
import { saveVerified, touchProblems } from '../postgres/problems.ts';

/** `problems.verified` → the version and the suite whose evidence is in force. */
@Controller()
export class OnProblemVerified {
  @OnEvent(topics.problemsVerified)
  async handle(batch: EventBatch<ProblemVerified>, tx: StageTransaction): Promise<void> {
    const rows = batch.events.map(({ value }) => ({
      problemId: value.problemId,
      version: value.version,
      suiteHash: value.suiteHash,
    }));
    await saveVerified(tx, rows);
    await touchProblems(
      tx,
      rows.map((row) => row.problemId),
    );
  }
}

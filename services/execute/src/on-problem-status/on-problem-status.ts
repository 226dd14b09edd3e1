import { Controller } from '@nestjs/common';
import { topics } from '@tidemark/event-log';
import { type ProblemStatus, Stage } from '@tidemark/proto';
import { type EventBatch, OnEvent, type StageTransaction } from '@tidemark/stage-runtime';
import { saveDuplicates } from '../postgres/duplicates.ts';
import { duplicateOf } from './duplicate-of.ts';

/** `problems.status` of dedup → which problems are exact duplicates, and of which: their groups wait for nothing. */
@Controller()
export class OnProblemStatus {
  @OnEvent(topics.problemsStatus)
  async handle(batch: EventBatch<ProblemStatus>, tx: StageTransaction): Promise<void> {
    const said = batch.events.map(({ value }) => value).filter(({ stage }) => stage === Stage.DEDUP);
    await saveDuplicates(
      tx,
      said.map((status) => ({
        problemId: status.problemId,
        version: status.version,
        duplicateOf: duplicateOf(status),
      })),
    );
  }
}

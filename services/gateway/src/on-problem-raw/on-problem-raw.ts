import { Controller } from '@nestjs/common';
import { topics } from '@tidemark/event-log';
import type { ProblemRaw } from '@tidemark/proto';
import { type EventBatch, OnEvent, type StageTransaction } from '@tidemark/stage-runtime';
import { dropTexts, keepContents } from '../console/kept/keep-texts.ts';
import { learnNames } from '../read-model/learn-names.ts';
import { VisibleStates } from '../read-model/visible-states.ts';

/** `problems.raw` → where problems come from. */
@Controller()
export class OnProblemRaw {
  constructor(private readonly states: VisibleStates) {}

  @OnEvent(topics.problemsRaw)
  async handle(batch: EventBatch<ProblemRaw>, tx: StageTransaction): Promise<void> {
    const names = batch.events.map(({ value: { problemId, content, origin, submitter } }) => ({
      problemId,
      title: content?.title ?? '',
      origin,
      submitter,
      offered: true,
    }));
    await this.states.refresh(
      tx,
      names.map(({ problemId }) => problemId),
      () => learnNames(tx, names, false),
    );
    await keepContents(
      tx,
      'original',
      batch.events.map(({ value }) => value),
    );
    await dropTexts(
      tx,
      'original',
      batch.removed.map(({ key }) => key),
    );
  }
}

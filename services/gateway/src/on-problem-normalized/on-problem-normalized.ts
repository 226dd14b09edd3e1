import { Controller } from '@nestjs/common';
import { topics } from '@tidemark/event-log';
import type { ProblemContent, ProblemNormalized } from '@tidemark/proto';
import { type EventBatch, OnEvent, type StageTransaction } from '@tidemark/stage-runtime';
import { dropTexts, keepContents } from '../console/kept/keep-texts.ts';
import { deleteRows, type RowOf, upsertRows } from '../postgres/table.ts';
import { normalizedProblems } from '../postgres/tables.ts';
import { learnNames } from '../read-model/learn-names.ts';
import { taskKindName, testFormName } from '../read-model/names.ts';
import { VisibleStates } from '../read-model/visible-states.ts';

/** `problems.normalized` → what cleaning did, and what kind of task it is. */
@Controller()
export class OnProblemNormalized {
  constructor(private readonly states: VisibleStates) {}

  @OnEvent(topics.problemsNormalized)
  async handle(batch: EventBatch<ProblemNormalized>, tx: StageTransaction): Promise<void> {
    const events = batch.events.map(({ value }) => value);
    const removed = batch.removed.map(({ key }) => key);
    const names = events.map(({ problemId, content }) => ({ problemId, title: content?.title ?? '' }));
    await this.states.refresh(tx, [...events.map(({ problemId }) => problemId), ...removed], async () => {
      await upsertRows(tx, normalizedProblems, events.map(rowOf));
      await deleteRows(
        tx,
        normalizedProblems,
        removed.map((id) => [id]),
      );
      await learnNames(tx, names, true);
      await keepContents(tx, 'cleaned', events);
      await dropTexts(tx, 'cleaned', removed);
    });
  }
}

const rowOf = (event: ProblemNormalized): RowOf<typeof normalizedProblems> => ({
  problem_id: event.problemId,
  version: event.version,
  notes: event.notes.map(({ code, count, detail }) => ({ code, count, detail })),
  statement_sha256: event.statementSha256,
  identity_sha256: event.identitySha256,
  content: event.content === undefined ? {} : facetsOf(event.content),
});

/** What may be shown of a content: never a test or a solution. */
const facetsOf = (content: ProblemContent) => ({
  task_kind: taskKindName(content.taskKind),
  test_form: testFormName(content.testForm),
  tests: content.testCount,
  references: content.solutions.filter(({ claimedRight }) => claimedRight).length,
  languages: content.languages,
  entry_point: content.entryPoint,
  statement_bytes: Number(content.statement?.sizeBytes ?? 0n),
  facets: content.facets,
});

import { Controller } from '@nestjs/common';
import { topics } from '@tidemark/event-log';
import type { SuiteChanged } from '@tidemark/proto';
import { type EventBatch, OnEvent, type StageTransaction } from '@tidemark/stage-runtime';
import { deleteRows, upsertRows } from '../postgres/table.ts';
import { suiteChanges } from '../postgres/tables.ts';
import { dateOf } from '../read-model/json.ts';

/** `suites.changed` → the newest change of a problem's judging tests, for its story. */
@Controller()
export class OnSuiteChanged {
  @OnEvent(topics.suitesChanged)
  async handle(batch: EventBatch<SuiteChanged>, tx: StageTransaction): Promise<void> {
    const rows = batch.events.map(({ value }) => ({
      problem_id: value.problemId,
      version: value.version,
      old_suite_hash: value.oldSuiteHash,
      new_suite_hash: value.newSuiteHash,
      reason: value.reason,
      changed_at: dateOf(value.changedAt),
    }));
    await upsertRows(tx, suiteChanges, rows);
    await deleteRows(
      tx,
      suiteChanges,
      batch.removed.map(({ key }) => [key]),
    );
  }
}

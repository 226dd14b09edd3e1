import { Controller } from '@nestjs/common';
import { topics } from '@tidemark/event-log';
import type { PanelMember } from '@tidemark/proto';
import { type EventBatch, OnEvent, type StageTransaction } from '@tidemark/stage-runtime';
import { deleteRows, upsertRows } from '../postgres/table.ts';
import { panelMembers } from '../postgres/tables.ts';
import { targetAndProblemOf } from '../read-model/keys.ts';

/** `panels.drawn` → who is in the calibration panel of which target. */
@Controller()
export class OnPanelDrawn {
  @OnEvent(topics.panelsDrawn)
  async handle(batch: EventBatch<PanelMember>, tx: StageTransaction): Promise<void> {
    const rows = batch.events.map(({ value: { target, problemId, version, stratum, drawing } }) => ({
      target,
      problem_id: problemId,
      version,
      stratum,
      drawing,
    }));
    await upsertRows(tx, panelMembers, rows);
    const removed = batch.removed.map(({ key }) => targetAndProblemOf(key));
    await deleteRows(
      tx,
      panelMembers,
      removed.map(({ target, problemId }) => [target, problemId]),
    );
  }
}

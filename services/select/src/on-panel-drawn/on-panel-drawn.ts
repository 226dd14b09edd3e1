import { Controller } from '@nestjs/common';
import { topics } from '@tidemark/event-log';
import type { PanelMember } from '@tidemark/proto';
import { type EventBatch, OnEvent, type StageTransaction } from '@tidemark/stage-runtime';
import { markTargets } from '../postgres/marks.ts';

/** `panels.drawn` → members of a target's calibration panel are not curated for it; a tombstone ends the membership. */
@Controller()
export class OnPanelDrawn {
  @OnEvent(topics.panelsDrawn)
  async handle(batch: EventBatch<PanelMember>, tx: StageTransaction): Promise<void> {
    await tx.query(
      `INSERT INTO panel_members (target, problem_id) SELECT * FROM unnest($1::text[], $2::text[]) ON CONFLICT DO NOTHING`,
      [batch.events.map(({ value }) => value.target), batch.events.map(({ value }) => value.problemId)],
    );
    const removed = batch.removed.map(({ key }) => key);
    if (removed.length > 0) {
      await tx.query(
        `DELETE FROM panel_members USING unnest($1::text[]) AS gone (key)
         WHERE target = split_part(gone.key, ':', 1) AND problem_id = split_part(gone.key, ':', 2)`,
        [removed],
      );
    }
    await markTargets(tx, [
      ...batch.events.map(({ value }) => value.target),
      ...removed.map((key) => key.slice(0, key.indexOf(':'))),
    ]);
  }
}

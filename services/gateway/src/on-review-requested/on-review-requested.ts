import { Controller } from '@nestjs/common';
import { topics } from '@tidemark/event-log';
import type { ReviewRequested } from '@tidemark/proto';
import { type EventBatch, OnEvent, type StageTransaction } from '@tidemark/stage-runtime';
import { upsertRows } from '../postgres/table.ts';
import { reviews } from '../postgres/tables.ts';
import { dateOf, evidenceJson } from '../read-model/json.ts';

/** `reviews.requested` → what people are asked to look at; shown in a problem's story. */
@Controller()
export class OnReviewRequested {
  @OnEvent(topics.reviewsRequested)
  async handle(batch: EventBatch<ReviewRequested>, tx: StageTransaction): Promise<void> {
    const rows = batch.events.map(({ value }) => ({
      review_id: value.reviewId,
      problem_id: value.problemId,
      version: value.version,
      stage: value.stage,
      reason: value.reason,
      evidence: evidenceJson(value.evidence),
      requested_at: dateOf(value.requestedAt),
    }));
    await upsertRows(tx, reviews, rows);
  }
}

import { toBinary } from '@bufbuild/protobuf';
import { Controller } from '@nestjs/common';
import { topics } from '@tidemark/event-log';
import { type DifficultyEstimated, DifficultyEstimatedSchema } from '@tidemark/proto';
import { type EventBatch, OnEvent, type StageTransaction } from '@tidemark/stage-runtime';
import { markTargets } from '../postgres/marks.ts';

/** `difficulty.estimated` → what is known of a measured problem; a tombstone makes it unmeasured again. */
@Controller()
export class OnDifficultyEstimated {
  @OnEvent(topics.difficultyEstimated)
  async handle(batch: EventBatch<DifficultyEstimated>, tx: StageTransaction): Promise<void> {
    const estimates = batch.events.map(({ value }) => value);
    await tx.query(
      `INSERT INTO estimates (target, problem_id, version, target_version, suite_hash, estimate)
       SELECT * FROM unnest($1::text[], $2::text[], $3::int[], $4::int[], $5::text[], $6::bytea[])
       ON CONFLICT (target, problem_id) DO UPDATE SET version = excluded.version,
         target_version = excluded.target_version, suite_hash = excluded.suite_hash, estimate = excluded.estimate`,
      [
        estimates.map((one) => one.target),
        estimates.map((one) => one.problemId),
        estimates.map((one) => one.version),
        estimates.map((one) => one.targetVersion),
        estimates.map((one) => one.suiteHash),
        estimates.map((one) => Buffer.from(toBinary(DifficultyEstimatedSchema, one))),
      ],
    );
    const removed = batch.removed.map(({ key }) => key);
    if (removed.length > 0) {
      await tx.query(
        `DELETE FROM estimates USING unnest($1::text[]) AS gone (key)
         WHERE target = split_part(gone.key, ':', 1) AND problem_id = split_part(gone.key, ':', 2)`,
        [removed],
      );
    }
    await markTargets(tx, [
      ...estimates.map((one) => one.target),
      ...removed.map((key) => key.slice(0, key.indexOf(':'))),
    ]);
  }
}

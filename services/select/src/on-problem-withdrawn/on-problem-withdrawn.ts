import { Controller } from '@nestjs/common';
import { topics } from '@tidemark/event-log';
import type { ProblemWithdrawn } from '@tidemark/proto';
import { type EventBatch, OnEvent, type StageTransaction } from '@tidemark/stage-runtime';
import { markAllTargets } from '../postgres/marks.ts';

/**
 * `problems.withdrawn` → the problem leaves every working set, and leases of it are void at once. Kept also for problems
 * that are not known yet.
 */
@Controller()
export class OnProblemWithdrawn {
  @OnEvent(topics.problemsWithdrawn)
  async handle(batch: EventBatch<ProblemWithdrawn>, tx: StageTransaction): Promise<void> {
    const withdrawals = batch.events.map(({ value }) => value);
    await tx.query(
      `INSERT INTO withdrawals (problem_id, stage, version, taken_back)
       SELECT * FROM unnest($1::text[], $2::int[], $3::int[], $4::bool[])
       ON CONFLICT (problem_id, stage) DO UPDATE SET version = excluded.version, taken_back = excluded.taken_back`,
      [
        withdrawals.map((one) => one.problemId),
        withdrawals.map((one) => one.stage),
        withdrawals.map((one) => one.version),
        withdrawals.map((one) => one.takenBack),
      ],
    );
    await tx.query(
      `UPDATE problem_leases SET state = 'void' FROM withdrawals w
       WHERE problem_leases.problem_id = ANY($1) AND problem_leases.state = 'open'
         AND w.problem_id = problem_leases.problem_id AND NOT w.taken_back AND w.version >= problem_leases.version`,
      [withdrawals.map((one) => one.problemId)],
    );
    await markAllTargets(tx);
  }
}

import { Controller } from '@nestjs/common';
import { topics } from '@tidemark/event-log';
import type { RolloutsGraded } from '@tidemark/proto';
import { type EventBatch, OnEvent, type StageTransaction } from '@tidemark/stage-runtime';

/** `rollouts.graded` → the lease under which the group was made is closed. A void lease stays void. */
@Controller()
export class OnRolloutsGraded {
  @OnEvent(topics.rolloutsGraded)
  async handle(batch: EventBatch<RolloutsGraded>, tx: StageTransaction): Promise<void> {
    const groups = batch.events.map(({ value }) => value.group).filter((group) => group && group.leaseId !== '');
    if (groups.length === 0) return;
    await tx.query(
      `UPDATE problem_leases SET state = 'closed', group_id = reported.group_id, closed_at = clock_timestamp()
       FROM unnest($1::text[], $2::text[], $3::text[], $4::text[]) AS reported (lease_id, target, problem_id, group_id)
       WHERE problem_leases.lease_id = reported.lease_id AND problem_leases.target = reported.target
         AND problem_leases.problem_id = reported.problem_id AND problem_leases.state = 'open'`,
      [
        groups.map((group) => group?.leaseId),
        groups.map((group) => group?.target),
        groups.map((group) => group?.problemId),
        groups.map((group) => group?.groupId),
      ],
    );
  }
}

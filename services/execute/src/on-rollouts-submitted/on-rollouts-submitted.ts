import { Controller } from '@nestjs/common';
import { topics } from '@tidemark/event-log';
import type { RolloutsSubmitted } from '@tidemark/proto';
import {
  type EventBatch,
  InjectConfig,
  OnEvent,
  type Parked,
  RecordFault,
  type StageEvent,
  type StageTransaction,
} from '@tidemark/stage-runtime';
import type { ExecuteConfig } from '../execute.config.ts';
import { gradingJob, gradingJobs } from '../grade-rollouts/grading-jobs.ts';
import { loadGroupContexts } from '../postgres/group-contexts.ts';
import { type GroupColumns, parkedGroups } from '../postgres/parked.ts';
import { decideGroup } from './decide-group.ts';

/** `rollouts.submitted` → a job that grades the group, or a place to wait for its problem or target. */
@Controller()
export class OnRolloutsSubmitted {
  constructor(@InjectConfig() private readonly config: ExecuteConfig) {}

  @OnEvent(topics.rolloutsSubmitted, { feeds: [gradingJobs], maxBatchRecords: 100 })
  async handle(batch: EventBatch<RolloutsSubmitted>, tx: StageTransaction): Promise<void> {
    const groups = batch.events.map((event) => {
      if (event.value.group === undefined) throw new RecordFault('no_group', 'the group is not identified', event);
      return event.value.group;
    });
    const contexts = await loadGroupContexts(tx, groups);
    const parked: Parked<GroupColumns>[] = [];
    for (const [index, event] of batch.events.entries()) {
      const decision = decideGroup(contexts[index] ?? { targetKnown: false, judgedVersion: 0 });
      if (decision.kind === 'park') parked.push(toParked(event));
      else await tx.enqueue(gradingJobs, [gradingJob(event, event.value, decision.version)]);
    }
    await parkedGroups.park(tx, parked, this.config.maxParkedPerSubmitter);
  }
}

function toParked(event: StageEvent<RolloutsSubmitted>): Parked<GroupColumns> {
  const { group, submitter } = event.value;
  return {
    origin: event,
    submitter: submitter?.name ?? '',
    columns: {
      target: group?.target ?? '',
      target_version: group?.targetVersion ?? 0,
      problem_id: group?.problemId ?? '',
      problem_version: group?.version ?? 0,
      language: undefined,
    },
  };
}

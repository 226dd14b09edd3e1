import { Controller } from '@nestjs/common';
import { topics } from '@tidemark/event-log';
import type { RolloutsSubmitted } from '@tidemark/proto';
import {
  type EventBatch,
  InjectConfig,
  OnEvent,
  RecordFault,
  type StageEvent,
  type StageTransaction,
} from '@tidemark/stage-runtime';
import type { ExecuteConfig } from '../execute.config.ts';
import { gradingJob, gradingJobs } from '../grade-rollouts/grading-jobs.ts';
import { loadGroupContexts } from '../postgres/group-contexts.ts';
import { countParked, type ParkedGroup, parkGroups, submitterOf } from '../postgres/parked.ts';
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
    const waiting = await countParked(
      tx,
      batch.events.map(({ value }) => submitterOf(value)),
    );
    const parked: ParkedGroup[] = [];
    for (const [index, event] of batch.events.entries()) {
      const submitter = submitterOf(event.value);
      const count = waiting.get(submitter) ?? 0;
      const context = contexts[index] ?? { targetKnown: false, judgedVersion: 0 };
      const decision = decideGroup(context, count, this.config.maxParkedPerSubmitter);
      if (decision.kind === 'refuse') throw new RecordFault(decision.code, decision.reason, event);
      if (decision.kind === 'grade') await tx.enqueue(gradingJobs, [gradingJob(event, event.value, decision.version)]);
      else {
        parked.push(toParked(event));
        waiting.set(submitter, count + 1);
      }
    }
    await parkGroups(tx, parked);
  }
}

function toParked({
  id,
  traceparent,
  value,
  partition,
  offset,
  timestampMs,
}: StageEvent<RolloutsSubmitted>): ParkedGroup {
  return { eventId: id, traceparent, group: value, partition, offset, appendedMs: timestampMs };
}

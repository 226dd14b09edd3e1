import { Controller } from '@nestjs/common';
import { BlobStore } from '@tidemark/blob-store';
import { headerNames, topics } from '@tidemark/event-log';
import type { RolloutsIntake } from '@tidemark/proto';
import {
  type EventBatch,
  InjectConfig,
  OnEvent,
  RecordFault,
  type StageEvent,
  type StageTransaction,
} from '@tidemark/stage-runtime';
import type { IngestConfig } from '../ingest.config.ts';
import { loadGroupContexts } from '../postgres/group-contexts.ts';
import { countParked, type ParkedGroup, parkGroups } from '../postgres/parked.ts';
import { decideGroup } from './decide-group.ts';
import { publishGroup } from './publish-group.ts';
import { type ReadGroup, readGroup } from './read-group.ts';

const HOUR_MS = 3_600_000;

/** `rollouts.intake` → `rollouts.submitted`, `rollouts.graded` for trusted graders, or a place to wait. */
@Controller()
export class OnRolloutsIntake {
  constructor(
    private readonly blobs: BlobStore,
    @InjectConfig() private readonly config: IngestConfig,
  ) {}

  @OnEvent(topics.rolloutsIntake)
  async handle(batch: EventBatch<RolloutsIntake>, tx: StageTransaction): Promise<void> {
    const groups: { event: StageEvent<RolloutsIntake>; read: ReadGroup }[] = [];
    for (const event of batch) {
      const { gatewaySecret } = this.config;
      groups.push({ event, read: await readGroup(event.value, event, senderIdOf(event), this.blobs, gatewaySecret) });
    }
    const contextOf = await loadGroupContexts(
      tx,
      groups.map(({ read }) => read.record),
    );
    const parked: ParkedGroup[] = [];
    for (const { event, read } of groups) {
      const decision = decideGroup(read.record, read.trustedToGrade, contextOf(read.record));
      if (decision.kind === 'refuse') throw new RecordFault(decision.code, decision.reason, event);
      if (decision.kind === 'park') parked.push(toParked(event, read));
      else await publishGroup(tx, event, read, decision, hourOf(event), this.blobs);
    }
    await this.park(tx, parked);
  }

  private async park(tx: StageTransaction, groups: readonly ParkedGroup[]): Promise<void> {
    if (groups.length === 0) return;
    const waiting = await countParked(
      tx,
      groups.map((group) => group.submitter),
    );
    for (const group of groups) {
      const count = (waiting.get(group.submitter) ?? 0) + 1;
      if (count > this.config.maxParkedPerSubmitter) {
        const cause = { id: group.eventId, traceparent: group.traceparent };
        throw new RecordFault('too_many_waiting', `${count - 1} groups of ${group.submitter} wait already`, cause);
      }
      waiting.set(group.submitter, count);
    }
    await parkGroups(tx, groups);
  }
}

/** The window of the evidence: the hour in which the log took the group. */
const hourOf = (event: StageEvent<RolloutsIntake>): number => Math.floor(event.timestampMs / HOUR_MS);

function senderIdOf({ headers }: StageEvent<RolloutsIntake>): string | undefined {
  const id = headers[headerNames.id];
  return id === undefined ? undefined : new TextDecoder().decode(id).replaceAll('\0', '');
}

function toParked(event: StageEvent<RolloutsIntake>, { record, submitter }: ReadGroup): ParkedGroup {
  return {
    eventId: event.id,
    senderId: senderIdOf(event),
    traceparent: event.traceparent,
    submitter: submitter.name,
    target: record.target,
    targetVersion: record.targetVersion,
    checkpoint: record.checkpoint,
    problemId: record.problemId,
    offer: event.value,
    intakeHour: hourOf(event),
    partition: event.partition,
    offset: event.offset,
    appendedMs: event.timestampMs,
  };
}

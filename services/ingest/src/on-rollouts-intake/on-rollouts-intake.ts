import { Controller } from '@nestjs/common';
import { BlobStore } from '@tidemark/blob-store';
import { headerNames, topics } from '@tidemark/event-log';
import type { RolloutsIntake } from '@tidemark/proto';
import {
  type EventBatch,
  InjectConfig,
  OnEvent,
  type Parked,
  RecordFault,
  type StageEvent,
  type StageTransaction,
} from '@tidemark/stage-runtime';
import type { IngestConfig } from '../ingest.config.ts';
import { loadGroupContexts } from '../postgres/group-contexts.ts';
import { type GroupColumns, parkedGroups } from '../postgres/parked.ts';
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
    const parked: Parked<GroupColumns>[] = [];
    for (const { event, read } of groups) {
      const decision = decideGroup(read.record, read.trustedToGrade, contextOf(read.record));
      if (decision.kind === 'refuse') throw new RecordFault(decision.code, decision.reason, event);
      if (decision.kind === 'park') parked.push(toParked(event, read));
      else await publishGroup(tx, event, read, decision, hourOf(event), this.blobs);
    }
    await parkedGroups.park(tx, parked, this.config.maxParkedPerSubmitter);
  }
}

/** The window of the evidence: the hour in which the log took the group. */
const hourOf = (event: StageEvent<RolloutsIntake>): number => Math.floor(event.timestampMs / HOUR_MS);

function senderIdOf({ headers }: StageEvent<RolloutsIntake>): string | undefined {
  const id = headers[headerNames.id];
  return id === undefined ? undefined : new TextDecoder().decode(id).replaceAll('\0', '');
}

function toParked(event: StageEvent<RolloutsIntake>, { record, submitter }: ReadGroup): Parked<GroupColumns> {
  return {
    origin: event,
    submitter: submitter.name,
    columns: {
      target: record.target,
      target_version: record.targetVersion,
      checkpoint: record.checkpoint,
      problem_id: record.problemId,
      intake_hour: hourOf(event),
      sender_id: senderIdOf(event),
    },
  };
}

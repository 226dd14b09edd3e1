import { create, toBinary } from '@bufbuild/protobuf';
import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import { BlobStore } from '@tidemark/blob-store';
import { type EventLog, headerNames, topics } from '@tidemark/event-log';
import { DeadLetterSchema, RolloutsIntakeSchema } from '@tidemark/proto';
import {
  type ActivitySource,
  type Cause,
  deadLetters,
  Every,
  InjectConfig,
  InjectEventLog,
  RecordFault,
  ReportsActivity,
  StageDatabase,
  type StageTransaction,
  type TimerTick,
} from '@tidemark/stage-runtime';
import type { IngestConfig } from '../ingest.config.ts';
import { decideGroup } from '../on-rollouts-intake/decide-group.ts';
import { publishGroup } from '../on-rollouts-intake/publish-group.ts';
import { type ReadGroup, readGroup } from '../on-rollouts-intake/read-group.ts';
import { loadGroupContexts } from '../postgres/group-contexts.ts';
import { countReady, type ParkedGroup, parkGroups, takeExpired, takeReady } from '../postgres/parked.ts';
import { type ReadMark, readSince, takeMark } from './read-marks.ts';

/** Groups taken up in one transaction. */
const CHUNK = 200;

const letters = deadLetters(topics.rolloutsIntake.name, 'ingest');

/** Takes groups up again when what they waited for is there, and lays them aside when it never came. */
@ReportsActivity()
export class ParkedGroups implements ActivitySource {
  private mark: ReadMark | undefined;

  constructor(
    private readonly database: StageDatabase,
    private readonly blobs: BlobStore,
    @InjectEventLog() private readonly log: EventLog,
    @InjectConfig() private readonly config: IngestConfig,
  ) {}

  @Every(1_000)
  async takeUp(_tick: TimerTick, tx: StageTransaction): Promise<void> {
    const ready: { group: ParkedGroup; cause: Cause; read: ReadGroup }[] = [];
    for (const group of await takeReady(tx, CHUNK)) {
      const cause = { id: group.eventId, traceparent: group.traceparent };
      try {
        const read = await readGroup(group.offer, cause, group.senderId, this.blobs, this.config.gatewaySecret);
        ready.push({ group, cause, read });
      } catch (error) {
        if (!(error instanceof RecordFault)) throw error;
        layAside(tx, group, cause, error.code, error.message);
      }
    }
    if (ready.length === 0) return;
    const contextOf = await loadGroupContexts(
      tx,
      ready.map(({ read }) => read.record),
    );
    const again: ParkedGroup[] = [];
    for (const { group, cause, read } of ready) {
      const decision = decideGroup(read.record, read.trustedToGrade, contextOf(read.record));
      if (decision.kind === 'refuse') layAside(tx, group, cause, decision.code, decision.reason);
      else if (decision.kind === 'park') again.push(group);
      else await publishGroup(tx, cause, read, decision, group.intakeHour, this.blobs);
    }
    if (again.length > 0) await parkGroups(tx, again);
  }

  /**
   * A group is given up when its time was over at a moment up to which everything has been read by now: what it waits
   * for may have come while this service stood still or had fallen behind.
   */
  @Every(10_000)
  async giveUp(_tick: TimerTick, tx: StageTransaction): Promise<void> {
    const mark = this.mark;
    const read = mark === undefined ? 'stale' : await readSince(tx, mark);
    if (read === 'not all') return;
    this.mark = await takeMark(tx, this.log);
    if (mark === undefined || read === 'stale') return;
    for (const group of await takeExpired(tx, this.config.parkedForMs, mark.at, CHUNK)) {
      const cause = { id: group.eventId, traceparent: group.traceparent };
      const reason = `problem ${group.problemId}, target ${group.target} or checkpoint ${group.checkpoint} never came`;
      layAside(tx, group, cause, 'unknown_problem', reason);
    }
  }

  async pendingWork(): Promise<Readonly<Record<string, number>>> {
    return { parkedGroupsReady: await countReady(this.database) };
  }
}

function layAside(tx: StageTransaction, group: ParkedGroup, cause: Cause, code: string, message: string): void {
  const letter = create(DeadLetterSchema, {
    topic: topics.rolloutsIntake.name,
    partition: group.partition,
    offset: group.offset,
    value: toBinary(RolloutsIntakeSchema, group.offer),
    headers: group.senderId === undefined ? {} : { [headerNames.id]: new TextEncoder().encode(group.senderId) },
    service: 'ingest',
    handler: 'ParkedGroups',
    errorCode: code,
    errorMessage: message,
    attempts: 1,
    deadLetteredAt: timestampFromMs(Date.now()),
    recordTimestampMs: BigInt(group.appendedMs),
  });
  tx.publish(cause, letters, letter);
}

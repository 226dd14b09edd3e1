import { fromBinary } from '@bufbuild/protobuf';
import { BlobStore } from '@tidemark/blob-store';
import { type EventLog, topics } from '@tidemark/event-log';
import { RolloutsIntakeSchema } from '@tidemark/proto';
import {
  type ActivitySource,
  Every,
  InjectConfig,
  InjectEventLog,
  type Origin,
  RecordFault,
  ReportsActivity,
  StageDatabase,
  type StageTransaction,
  type TimerTick,
  type Waiting,
} from '@tidemark/stage-runtime';
import type { IngestConfig } from '../ingest.config.ts';
import { decideGroup } from '../on-rollouts-intake/decide-group.ts';
import { publishGroup } from '../on-rollouts-intake/publish-group.ts';
import { readGroup } from '../on-rollouts-intake/read-group.ts';
import { countMissing } from '../postgres/count-missing.ts';
import { loadGroupContexts } from '../postgres/group-contexts.ts';
import { type GroupColumns, parkedGroups } from '../postgres/parked.ts';
import { type ReadMark, readSince, takeMark } from './read-marks.ts';

/** Groups taken up in one transaction. */
const CHUNK = 200;

type Parked = Origin & { readonly columns: GroupColumns };

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
    const ready = await parkedGroups.takeReady(tx, CHUNK);
    const laidAside = await tx.takeUp(topics.rolloutsIntake, ready, async (own, groups) => {
      const done: Parked[] = [];
      for (const group of groups) if (await this.sendOn(own, group)) done.push(group);
      await parkedGroups.remove(own, done);
    });
    await parkedGroups.remove(tx, laidAside);
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
    const expired = await parkedGroups.takeExpired(tx, this.config.parkedForMs, CHUNK, mark.at);
    for (const group of expired) {
      const { problem_id, target, checkpoint } = group.columns;
      const reason = `problem ${problem_id}, target ${target} or checkpoint ${checkpoint} never came`;
      await tx.layAside(group, 'unknown_problem', reason);
    }
    await parkedGroups.remove(tx, expired);
  }

  async pendingWork(): Promise<Readonly<Record<string, number>>> {
    return { parkedGroupsReady: await parkedGroups.countReady(this.database) };
  }

  waiting(): Promise<readonly Waiting[]> {
    return countMissing(this.database);
  }

  /**
   * @returns false when it has to wait on
   * @throws RecordFault
   */
  private async sendOn(tx: StageTransaction, group: Parked): Promise<boolean> {
    const { sender_id, intake_hour } = group.columns;
    const offer = fromBinary(RolloutsIntakeSchema, group.record.value ?? new Uint8Array());
    const read = await readGroup(offer, group, sender_id, this.blobs, this.config.gatewaySecret);
    const contextOf = await loadGroupContexts(tx, [read.record]);
    const decision = decideGroup(read.record, read.trustedToGrade, contextOf(read.record));
    if (decision.kind === 'park') return false;
    if (decision.kind === 'refuse') throw new RecordFault(decision.code, decision.reason, group);
    await publishGroup(tx, group, read, decision, intake_hour, this.blobs);
    return true;
  }
}

import { Controller } from '@nestjs/common';
import { topics } from '@tidemark/event-log';
import type { RolloutsGraded } from '@tidemark/proto';
import { type EventBatch, OnEvent, type StageTransaction } from '@tidemark/stage-runtime';
import { keepAttempts } from '../console/kept/keep-attempts.ts';
import { insertNewRows, type RowOf } from '../postgres/table.ts';
import { gradedGroups } from '../postgres/tables.ts';
import { dateOf } from '../read-model/json.ts';
import { Rates } from '../status/rates.ts';
import { addVerdictCounts } from './add-verdict-counts.ts';

/** `rollouts.graded` → every group once per suite, and attempts counted by verdict. */
@Controller()
export class OnRolloutsGraded {
  constructor(private readonly rates: Rates) {}

  @OnEvent(topics.rolloutsGraded)
  async handle(batch: EventBatch<RolloutsGraded>, tx: StageTransaction): Promise<void> {
    const fresh = await insertNewRows(
      tx,
      gradedGroups,
      batch.events.map(({ value }) => rowOf(value)),
    );
    await addVerdictCounts(tx, fresh as readonly GroupRow[]);
    await keepAttempts(
      tx,
      batch.events.map(({ value }) => value),
    );
    tx.afterCommit(() => this.rates.count('groups', fresh.length));
  }
}

/** A group as the read model keeps it: verdicts alone, never outputs. */
export interface GroupRow extends RowOf<typeof gradedGroups> {
  readonly target: string;
  readonly problem_id: string;
  readonly suite_hash: string;
  readonly version: number;
  readonly checkpoint: string;
  readonly purpose: number;
  readonly verdicts: readonly number[];
}

const rowOf = ({ group, ...event }: RolloutsGraded): GroupRow => ({
  target: group?.target ?? '',
  problem_id: group?.problemId ?? '',
  group_id: group?.groupId ?? '',
  suite_hash: event.suiteHash,
  version: group?.version ?? 0,
  target_version: group?.targetVersion ?? 0,
  checkpoint: group?.checkpoint ?? '',
  purpose: group?.purpose ?? 0,
  submitter: event.submitter?.name ?? '',
  judge_version: event.judgeVersion,
  graded_by_submitter: event.gradedBySubmitter,
  held_out: event.heldOut,
  lease_id: group?.leaseId ?? '',
  verdicts: event.verdicts.map(({ verdict }) => verdict),
  graded_at: dateOf(event.gradedAt),
});

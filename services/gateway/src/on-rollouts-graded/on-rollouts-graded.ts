import { Controller } from '@nestjs/common';
import { topics } from '@tidemark/event-log';
import type { RolloutsGraded } from '@tidemark/proto';
import { type EventBatch, OnEvent, type StageTransaction } from '@tidemark/stage-runtime';
import { keepAttempts } from '../console/kept/keep-attempts.ts';
import { Rates } from '../status/rates.ts';
import { addVerdictCounts } from './add-verdict-counts.ts';
import { groupRowOf, storeGroups } from './graded-group.ts';

/** `rollouts.graded` → every group once per suite, and attempts counted by verdict. */
@Controller()
export class OnRolloutsGraded {
  constructor(private readonly rates: Rates) {}

  @OnEvent(topics.rolloutsGraded)
  async handle(batch: EventBatch<RolloutsGraded>, tx: StageTransaction): Promise<void> {
    const fresh = await storeGroups(
      tx,
      batch.events.map(({ value }) => groupRowOf(value)),
    );
    await addVerdictCounts(tx, fresh);
    await keepAttempts(
      tx,
      batch.events.map(({ value }) => value),
    );
    tx.afterCommit(() => this.rates.count('groups', fresh.length));
  }
}

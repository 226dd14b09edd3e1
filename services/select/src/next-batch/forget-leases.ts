import { Injectable } from '@nestjs/common';
import { Every, InjectConfig, type StageTransaction, type TimerTick } from '@tidemark/stage-runtime';
import type { SelectConfig } from '../select.config.ts';

const AN_HOUR_MS = 3_600_000;

/** Leases that ended a week ago are of no use to anyone, and batches are replayed for as long as the settings say. */
@Injectable()
export class ForgetLeases {
  constructor(@InjectConfig() private readonly config: SelectConfig) {}

  @Every(AN_HOUR_MS, { name: 'forget-leases' })
  async turn(_tick: TimerTick, tx: StageTransaction): Promise<void> {
    await tx.query(
      `DELETE FROM problem_leases WHERE lease_id IN (
         SELECT lease_id FROM problem_leases WHERE expires_at < clock_timestamp() - interval '7 days' LIMIT 50000)`,
    );
    await tx.query(
      `DELETE FROM batches WHERE ctid = ANY (ARRAY(
         SELECT ctid FROM batches WHERE given_at < clock_timestamp() - $1 * interval '1 day' LIMIT 10000))`,
      [this.config.replayDays],
    );
  }
}

import { Injectable } from '@nestjs/common';
import { Every, type StageTransaction, type TimerTick } from '@tidemark/stage-runtime';

const AN_HOUR_MS = 3_600_000;

/** Leases that ended a week ago are of no use to anyone. */
@Injectable()
export class ForgetLeases {
  @Every(AN_HOUR_MS, { name: 'forget-leases' })
  async turn(_tick: TimerTick, tx: StageTransaction): Promise<void> {
    await tx.query(
      `DELETE FROM problem_leases WHERE lease_id IN (
         SELECT lease_id FROM problem_leases WHERE expires_at < clock_timestamp() - interval '7 days' LIMIT 50000)`,
    );
  }
}

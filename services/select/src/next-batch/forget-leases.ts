import { Injectable } from '@nestjs/common';
import { Every, type StageTransaction, type TimerTick } from '@tidemark/stage-runtime';

const AN_HOUR_MS = 3_600_000;

/** How long after their end leases, and with them the batches that they are of, can be asked for again, in days. */
const KEPT_DAYS = 7;

/** Leases that ended long ago are of no use to anyone, nor are their batches. */
@Injectable()
export class ForgetLeases {
  @Every(AN_HOUR_MS, { name: 'forget-leases' })
  async turn(_tick: TimerTick, tx: StageTransaction): Promise<void> {
    await tx.query(
      `DELETE FROM problem_leases WHERE lease_id IN (
         SELECT lease_id FROM problem_leases
         WHERE expires_at < clock_timestamp() - $1 * interval '1 day' LIMIT 50000)`,
      [KEPT_DAYS],
    );
    await tx.query(
      `DELETE FROM batches WHERE ctid = ANY (ARRAY(
         SELECT ctid FROM batches AS old WHERE given_at < clock_timestamp() - $1 * interval '1 day'
           AND NOT EXISTS (SELECT FROM problem_leases AS l WHERE l.target = old.target AND l.batch = old.batch)
         LIMIT 10000))`,
      [KEPT_DAYS],
    );
  }
}

import { Every, type StageTransaction, type TimerTick } from '@tidemark/stage-runtime';

const AN_HOUR_MS = 3_600_000;

/** Attempts that the judge failed are kept for a month, to be looked at. */
export class ForgetFailures {
  @Every(AN_HOUR_MS, { name: 'forget-failures' })
  async turn(_tick: TimerTick, tx: StageTransaction): Promise<void> {
    await tx.query(
      `DELETE FROM environment_failures WHERE ctid = ANY (ARRAY(
         SELECT ctid FROM environment_failures WHERE failed_at < now() - interval '30 days' LIMIT 50000))`,
    );
  }
}

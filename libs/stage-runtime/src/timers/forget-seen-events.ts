import type { TransactionTimer } from './timer-loop.ts';

/** Writers that come back later than this may repeat an event; longer than any retention of a topic without revisions. */
const KEEP = '8 days';

/** Clears the ids of events seen long ago. */
export const forgetSeenEvents: TransactionTimer = {
  kind: 'transaction',
  name: 'runtime.forget-seen-events',
  periodMs: 600_000,
  onEveryReplica: false,
  async turn(_tick, tx) {
    await tx.query(`DELETE FROM seen_events WHERE seen_at < now() - interval '${KEEP}'`);
  },
};

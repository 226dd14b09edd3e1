import type { Sql } from '@tidemark/stage-runtime';

/** Ids that one turn forgets at most; the rest goes with the next. */
const IDS_A_TURN = 50_000;

/**
 * Closes windows that are over by the database's clock: first no more of their groups are counted (the row's lock waits for
 * batches that count now), then their ids go.
 */
export async function closeWindows(tx: Sql, windowHours: number): Promise<void> {
  await tx.query(
    `UPDATE closed_window SET before_hour = w.hour
     FROM (SELECT floor(extract(epoch FROM now()) / 3600)::int - $1::int AS hour) w
     WHERE closed_window.before_hour < w.hour`,
    [windowHours],
  );
  await tx.query(
    `DELETE FROM counted_group WHERE ctid = ANY(ARRAY(
       SELECT ctid FROM counted_group WHERE window_hour < (SELECT before_hour FROM closed_window) LIMIT $1))`,
    [IDS_A_TURN],
  );
}

/** Halves of regrades whose other half never came, and completions of what were no regrades. */
export async function forgetOldRegrades(tx: Sql, hours: number): Promise<void> {
  await tx.query('DELETE FROM regrade WHERE noted_at < now() - make_interval(hours => $1::int)', [hours]);
}

import { Injectable } from '@nestjs/common';
import { Every, InjectConfig, type Sql, type StageTransaction, type TimerTick } from '@tidemark/stage-runtime';
import type { GatewayConfig } from '../gateway.config.ts';

/** Rows of one table that one turn deletes at most; the rest goes with the next. */
const ROWS_A_TURN = 20_000;

/** How long the gateway keeps what would otherwise grow for ever, in days. */
export type Keeping = Pick<GatewayConfig, 'keepUploadsDays' | 'keepGroupsDays' | 'keepHistoryDays'>;

/** Forgets what is only history. What is known of a problem stays as long as the problem. */
@Injectable()
export class ForgetOldRows {
  constructor(@InjectConfig() private readonly config: GatewayConfig) {}

  @Every(60_000, { name: 'forget-old-rows' })
  async turn(_tick: TimerTick, tx: StageTransaction): Promise<void> {
    await forgetOldRows(tx, this.config);
  }
}

/** Deletes what is older than it is kept for, up to a number of rows of each table. */
export async function forgetOldRows(sql: Sql, { keepUploadsDays, keepGroupsDays, keepHistoryDays }: Keeping) {
  await forgetUploads(sql, keepUploadsDays);
  await deleteOlder(sql, 'refusal', 'refused_at', keepUploadsDays);
  await deleteOlder(sql, 'graded_group', 'graded_at', keepGroupsDays);
  await deleteOlder(sql, 'command', 'requested_at', keepHistoryDays);
  await deleteOlder(sql, 'audit', 'requested_at', keepHistoryDays);
  await deleteOlder(sql, 'evaluation', 'evaluated_at', keepHistoryDays);
  await deleteOlder(sql, 'bin_move', 'moved_at', keepHistoryDays);
  // The newest of a problem at a stage is what its state rests on.
  const newest = `problem_id IS NULL OR EXISTS (SELECT FROM dead_letter AS n
    WHERE n.problem_id = old.problem_id AND n.service = old.service AND n.topic = old.topic
      AND n.dead_lettered_at > old.dead_lettered_at)`;
  await deleteOlder(sql, 'dead_letter', 'dead_lettered_at', keepHistoryDays, `state <> 'open' AND (${newest})`);
}

/** An upload goes with its names and the lines that were written down of it; its counts stay in the totals. */
async function forgetUploads(sql: Sql, days: number): Promise<void> {
  const lines = await sql.query(
    `DELETE FROM submission WHERE ctid = ANY (ARRAY(
       SELECT s.ctid FROM submission AS s JOIN upload AS u USING (upload_id)
       WHERE u.last_at < now() - $1 * interval '1 day' LIMIT $2)) RETURNING 1`,
    [days, ROWS_A_TURN],
  );
  if (lines.length === ROWS_A_TURN) return;
  await sql.query(
    `WITH old AS (
       DELETE FROM upload WHERE ctid = ANY (ARRAY(
         SELECT ctid FROM upload WHERE last_at < now() - $1 * interval '1 day' LIMIT $2))
       RETURNING upload_id, kind, accepted, refused
     ), names AS (DELETE FROM upload_name WHERE upload_id IN (SELECT upload_id FROM old))
     INSERT INTO upload_count (kind, uploads, accepted, refused)
     SELECT kind, count(*), sum(accepted), sum(refused) FROM old GROUP BY kind`,
    [days, ROWS_A_TURN],
  );
}

async function deleteOlder(sql: Sql, table: string, column: string, days: number, where = 'true'): Promise<void> {
  await sql.query(
    `DELETE FROM ${table} WHERE ctid = ANY (ARRAY(
       SELECT ctid FROM ${table} AS old WHERE ${column} < now() - $1 * interval '1 day' AND (${where}) LIMIT $2))`,
    [days, ROWS_A_TURN],
  );
}

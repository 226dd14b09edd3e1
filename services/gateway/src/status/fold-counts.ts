import { Injectable } from '@nestjs/common';
import { Every, type Sql, type StageTransaction, type TimerTick } from '@tidemark/stage-runtime';

/** Adds up the rows of the counters, so that there are few to read. */
@Injectable()
export class FoldCounts {
  @Every(5_000, { name: 'fold-counts' })
  async turn(_tick: TimerTick, tx: StageTransaction): Promise<void> {
    await foldCounts(tx);
  }
}

/** Rows that others add meanwhile are not seen, and stay. */
export async function foldCounts(sql: Sql): Promise<void> {
  await sql.query(
    `WITH taken AS (DELETE FROM problem_count RETURNING *)
     INSERT INTO problem_count (state, stage, reason, held_out, problems)
     SELECT state, stage, reason, held_out, sum(problems) FROM taken
     GROUP BY state, stage, reason, held_out HAVING sum(problems) <> 0`,
  );
  await sql.query(
    `WITH taken AS (DELETE FROM upload_count RETURNING *)
     INSERT INTO upload_count (kind, uploads, accepted, refused)
     SELECT kind, sum(uploads), sum(accepted), sum(refused) FROM taken GROUP BY kind`,
  );
}

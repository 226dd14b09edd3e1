import type { Sql } from '@tidemark/stage-runtime';
import { insertNewRows, type RowOf } from '../postgres/table.ts';
import { binMoves } from '../postgres/tables.ts';

/** Adds moves between bins, each once, and counts them for their targets. Two topics tell of the same moves. */
export async function addMoves(sql: Sql, moves: readonly RowOf<typeof binMoves>[]): Promise<void> {
  const fresh = await insertNewRows(sql, binMoves, moves);
  if (fresh.length === 0) return;
  await sql.query(
    `INSERT INTO target_count AS t (target, groups, attempts, passes, environment_failures, moves)
     SELECT target, 0, 0, 0, 0, count(*) FROM unnest($1::text[]) AS m (target) GROUP BY target ORDER BY target
     ON CONFLICT (target) DO UPDATE SET moves = t.moves + excluded.moves`,
    [fresh.map(({ target }) => target)],
  );
}

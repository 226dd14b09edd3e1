import type { StateCount, TargetCounts } from '@tidemark/http-contract';
import { Bin } from '@tidemark/proto';
import type { Sql } from '@tidemark/stage-runtime';
import { binNames } from '../read-model/decide-placement.ts';
import { binName } from '../read-model/names.ts';

export type { StateCount, TargetCounts };

/** Problems by visible state; together they are all that the gateway has seen. */
export async function countStates(sql: Sql): Promise<StateCount[]> {
  const rows = await sql.query<Omit<StateCount, 'problems'> & { held_out: boolean; problems: number }>(
    `SELECT state, stage, reason, held_out, sum(problems)::float8 AS problems FROM problem_count
     GROUP BY state, stage, reason, held_out HAVING sum(problems) <> 0
     ORDER BY state, problems DESC, stage, reason, held_out`,
  );
  return rows.map(({ held_out, ...row }) => ({
    ...row,
    reason: row.state === 'ready' ? (held_out ? 'held_out' : 'train') : row.reason,
  }));
}

/**
 * The placement of `decidePlacement` for all problems of which something is known for a target, at once. All others that
 * are ready on the training side are in reserve.
 */
const PLACEMENTS = `
  WITH known AS (
    SELECT target, problem_id, m.problem_id IS NOT NULL AS in_panel, c.bin AS curated_bin,
      coalesce(c.predicted, false) AS predicted, d.bin AS measured_bin
    FROM difficulty AS d
    FULL JOIN curated AS c USING (target, problem_id)
    FULL JOIN panel_member AS m USING (target, problem_id)
  )
  SELECT k.target,
    CASE
      WHEN k.in_panel THEN 'panel'
      WHEN k.curated_bin IS NOT NULL THEN 'curated'
      WHEN k.measured_bin IN (${Bin.MASTERED}, ${Bin.UNSOLVED}) THEN 'set_aside'
      ELSE 'reserve' END AS placement,
    CASE WHEN NOT k.in_panel THEN k.curated_bin END AS curated_bin,
    k.predicted, k.measured_bin, count(*)::integer AS problems
  FROM known AS k JOIN problem AS p USING (problem_id)
  WHERE p.state = 'ready' AND NOT p.held_out
  GROUP BY 1, 2, 3, 4, 5`;

interface PlacementRow {
  readonly target: string;
  readonly placement: 'panel' | 'curated' | 'set_aside' | 'reserve';
  readonly curated_bin: number | null;
  readonly predicted: boolean;
  readonly measured_bin: number | null;
  readonly problems: number;
}

/** Counts every declared target. */
export async function countTargets(sql: Sql): Promise<TargetCounts[]> {
  const targets = await sql.query<TargetTotals>(
    `SELECT t.target, t.version, t.checkpoint, t.checkpoint_ordinal,
       coalesce(n.groups, 0)::float8 AS groups, coalesce(n.attempts, 0)::float8 AS attempts,
       coalesce(n.passes, 0)::float8 AS passes, coalesce(n.environment_failures, 0)::float8 AS environment_failures,
       (SELECT coalesce(max(number), 0)::float8 FROM evaluation AS e WHERE e.target = t.target) AS evaluations,
       coalesce(n.moves, 0)::float8 AS moves
     FROM target AS t LEFT JOIN target_count AS n USING (target) ORDER BY t.target`,
  );
  const placements = Map.groupBy(await sql.query<PlacementRow>(PLACEMENTS), ({ target }) => target);
  const [ready] = await sql.query<{ problems: number }>(
    `SELECT coalesce(sum(problems), 0)::float8 AS problems FROM problem_count WHERE state = 'ready' AND NOT held_out`,
  );
  return targets.map((totals) => ({
    ...totals,
    ...placementsOf(placements.get(totals.target) ?? [], ready?.problems ?? 0),
  }));
}

type TargetTotals = Omit<TargetCounts, 'bins' | 'panel' | 'curated' | 'set_aside' | 'reserve'>;

/** @param ready problems on the training side, whatever is known of them */
function placementsOf(rows: readonly PlacementRow[], ready: number) {
  const sum = (matches: (row: PlacementRow) => boolean) =>
    rows.reduce((total, row) => total + (matches(row) ? row.problems : 0), 0);
  const placed = (placement: PlacementRow['placement']) => sum((row) => row.placement === placement);
  const bins = Object.fromEntries(
    binNames.map((name) => {
      const isBin = (bin: number | null) => bin !== null && binName(bin) === name;
      return [
        name,
        {
          curated: sum((row) => isBin(row.curated_bin)),
          predicted: sum((row) => isBin(row.curated_bin) && row.predicted),
          measured: sum((row) => isBin(row.measured_bin)),
        },
      ];
    }),
  );
  return {
    bins,
    panel: placed('panel'),
    curated: placed('curated'),
    set_aside: placed('set_aside'),
    reserve: Math.max(0, ready - placed('panel') - placed('curated') - placed('set_aside')),
  };
}

import { Bin } from '@tidemark/proto';
import type { Sql } from '@tidemark/stage-runtime';
import { binNames } from '../read-model/decide-placement.ts';
import { binName } from '../read-model/names.ts';

/** How many problems are in a visible state for one reason. */
export interface StateCount {
  readonly state: string;
  readonly stage: string;
  readonly reason: string;
  readonly problems: number;
}

/** Where the ready problems of the training side stand for one target. */
export interface TargetCounts {
  readonly target: string;
  readonly version: number;
  readonly checkpoint: string;
  readonly checkpoint_ordinal: number;
  /** By bin: `curated` of the working set (`predicted` of them are placed by the prior), `measured` of all ready ones. */
  readonly bins: Readonly<Record<string, { curated: number; predicted: number; measured: number }>>;
  readonly panel: number;
  readonly curated: number;
  readonly set_aside: number;
  readonly reserve: number;
  readonly groups: number;
  readonly attempts: number;
  readonly passes: number;
  readonly environment_failures: number;
  readonly evaluations: number;
  readonly moves: number;
}

/** Counts problems by visible state; together they are all that the gateway has seen. */
export async function countStates(sql: Sql): Promise<StateCount[]> {
  const rows = await sql.query<Omit<StateCount, 'problems'> & { held_out: boolean; problems: bigint }>(
    `SELECT state, stage, reason, held_out, count(*) AS problems FROM problem
     GROUP BY state, stage, reason, held_out ORDER BY state, problems DESC, stage, reason, held_out`,
  );
  return rows.map(({ held_out, problems, ...row }) => ({
    ...row,
    reason: row.state === 'ready' ? (held_out ? 'held_out' : 'train') : row.reason,
    problems: Number(problems),
  }));
}

/** The placement of `decidePlacement`, for all problems at once. */
const PLACEMENTS = `
  SELECT CASE
      WHEN m.problem_id IS NOT NULL THEN 'panel'
      WHEN c.problem_id IS NOT NULL THEN 'curated'
      WHEN d.bin IN (${Bin.MASTERED}, ${Bin.UNSOLVED}) THEN 'set_aside'
      ELSE 'reserve' END AS placement,
    CASE WHEN m.problem_id IS NULL AND c.problem_id IS NOT NULL THEN c.bin END AS curated_bin,
    coalesce(c.predicted, false) AS predicted, d.bin AS measured_bin, count(*)::integer AS problems
  FROM problem AS p
  LEFT JOIN panel_member AS m ON m.target = $1 AND m.problem_id = p.problem_id
  LEFT JOIN curated AS c ON c.target = $1 AND c.problem_id = p.problem_id
  LEFT JOIN difficulty AS d ON d.target = $1 AND d.problem_id = p.problem_id
  WHERE p.state = 'ready' AND NOT p.held_out
  GROUP BY 1, 2, 3, 4`;

interface PlacementRow {
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
       (SELECT count(*)::float8 FROM bin_move AS b WHERE b.target = t.target) AS moves
     FROM target AS t LEFT JOIN target_count AS n USING (target) ORDER BY t.target`,
  );
  const counts: TargetCounts[] = [];
  for (const totals of targets) {
    counts.push({ ...totals, ...placementsOf(await sql.query<PlacementRow>(PLACEMENTS, [totals.target])) });
  }
  return counts;
}

type TargetTotals = Omit<TargetCounts, 'bins' | 'panel' | 'curated' | 'set_aside' | 'reserve'>;

function placementsOf(rows: readonly PlacementRow[]) {
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
    reserve: placed('reserve'),
  };
}

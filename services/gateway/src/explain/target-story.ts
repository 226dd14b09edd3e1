import { fromBinary } from '@bufbuild/protobuf';
import {
  Bin,
  CuratedProblemSchema,
  type Purpose,
  type TargetDeclared,
  TargetDeclaredSchema,
  type Verdict,
} from '@tidemark/proto';
import type { Sql } from '@tidemark/stage-runtime';
import { curatedSummary } from '../curated/curated-json.ts';
import { type BinName, decidePlacement, type Placement, type ReserveReason } from '../read-model/decide-placement.ts';
import { binName, purposeName, verdictName } from '../read-model/names.ts';

const NEWEST_GROUPS = 20;
/** As `SelectionSettings.working_set` has it for 0. */
const DEFAULT_WORKING_SET = 20_000;

/** What one problem is for every declared target, where it is ready and not held out. */
export async function targetStories(sql: Sql, problemId: string, synthetic: boolean): Promise<object[]> {
  const targets = await sql.query<TargetRow>(
    `SELECT t.target, t.checkpoint, v.settings,
       (SELECT count(*)::float8 FROM curated AS c WHERE c.target = t.target) AS curated
     FROM target AS t JOIN target_version AS v USING (target, version) ORDER BY t.target`,
  );
  const stories: object[] = [];
  for (const target of targets) stories.push(await storyOf(sql, problemId, target, synthetic));
  return stories;
}

interface TargetRow {
  readonly target: string;
  readonly checkpoint: string;
  readonly settings: Buffer;
  readonly curated: number;
}

async function storyOf(sql: Sql, problemId: string, row: TargetRow, synthetic: boolean): Promise<object> {
  const { target, checkpoint } = row;
  const settings = fromBinary(TargetDeclaredSchema, row.settings);
  const key = [target, problemId];
  const [panel] = await sql.query('SELECT 1 FROM panel_member WHERE target = $1 AND problem_id = $2', key);
  const [measured] = await sql.query<DifficultyRow>(
    `SELECT bin, previous_bin, alpha, beta, mean, pass_interval, attempts, passes, truncated, environment_failures, reason,
       masses, evaluation::float8 AS evaluation, calibration_version, checkpoint, suite_hash, version
     FROM difficulty WHERE target = $1 AND problem_id = $2`,
    key,
  );
  const [curated] = await sql.query<{ bin: Bin; predicted: boolean; retest: boolean; message: Buffer }>(
    'SELECT bin, predicted, retest, message FROM curated WHERE target = $1 AND problem_id = $2',
    key,
  );
  const placement = decidePlacement({
    inPanel: panel !== undefined,
    curated: curated && { bin: binName(curated.bin) as BinName, predicted: curated.predicted, retest: curated.retest },
    measured: measured && { bin: binName(measured.bin) as BinName },
    synthetic,
    selection: {
      syntheticShare: settings.selection?.syntheticShare ?? 0,
      binWeights: settings.selection?.binWeights ?? {},
      workingSet: settings.selection?.workingSet || DEFAULT_WORKING_SET,
      curated: row.curated,
    },
  });
  return {
    target,
    checkpoint,
    placement,
    why: whyPlaced(placement, settings),
    difficulty: measured === undefined ? null : difficultyJson(measured),
    curated: curated === undefined ? null : curatedSummary(fromBinary(CuratedProblemSchema, curated.message)),
    evidence: await evidenceOf(sql, key),
    moves: await movesOf(sql, key),
    groups: await newestGroups(sql, key),
  };
}

interface DifficultyRow {
  readonly bin: Bin;
  readonly previous_bin: Bin;
  readonly pass_interval: object | null;
  readonly attempts: number;
}

const difficultyJson = ({ bin, previous_bin, pass_interval, ...rest }: DifficultyRow): object => ({
  bin: binName(bin),
  previous_bin: previous_bin === Bin.UNSPECIFIED ? null : binName(previous_bin),
  interval: pass_interval,
  ...rest,
});

/** One sentence for people. */
export function whyPlaced(placement: Placement, { bins, selection }: TargetDeclared): string {
  switch (placement.kind) {
    case 'panel':
      return 'It measures the target and is kept out of training.';
    case 'curated': {
      const bin = placement.predicted ? `${placement.bin}, as the prior places it` : `${placement.bin}, as measured`;
      return placement.retest
        ? `It is in the working set for a retest (${bin}).`
        : `It is in the working set (${bin}).`;
    }
    case 'set_aside':
      return placement.bin === 'mastered'
        ? `It is mastered (a pass rate of ${percent(bins?.mastered || 0.9)} or more); it is set aside until ${placement.until}.`
        : `It is unsolved (none of the attempts that count passed); it is set aside until ${placement.until}.`;
    case 'reserve': {
      const bin = placement.bin === undefined ? 'It was not measured' : `It is ${placement.bin}`;
      return `${bin}, and ${whyReserved(placement.reason, selection?.syntheticShare ?? 0)}.`;
    }
  }
}

function whyReserved(reason: ReserveReason, syntheticShare: number): string {
  switch (reason) {
    case 'synthetic_share':
      return syntheticShare === 0
        ? 'the target takes no synthetic problems'
        : `the target takes at most ${percent(syntheticShare)} synthetic problems`;
    case 'bin_weight':
      return 'the target gives that bin no weight';
    case 'outranked':
      return 'the working set is full of others that are worth more';
    case 'not_chosen_yet':
      return 'it was not chosen for the working set yet';
  }
}

const percent = (share: number): string => `${Math.round(share * 1000) / 10}%`;

/** Attempts by verdict, for each version, suite, checkpoint and purpose; a truncated one failed, whatever its verdict. */
async function evidenceOf(sql: Sql, key: readonly string[]): Promise<object[]> {
  const rows = await sql.query<{
    version: number;
    suite_hash: string;
    checkpoint: string;
    purpose: Purpose;
    verdicts: Readonly<Record<string, number>>;
    truncated: number;
  }>(
    `SELECT version, suite_hash, checkpoint, purpose, jsonb_object_agg(verdict, attempts ORDER BY verdict) AS verdicts,
       sum(truncated)::float8 AS truncated
     FROM verdict_count WHERE target = $1 AND problem_id = $2 AND attempts > 0
     GROUP BY version, suite_hash, checkpoint, purpose ORDER BY version, checkpoint, purpose, suite_hash`,
    key,
  );
  return rows.map(({ purpose, verdicts, ...row }) => ({
    ...row,
    purpose: purposeName(purpose),
    verdicts: Object.fromEntries(
      Object.entries(verdicts).map(([verdict, attempts]) => [verdictName(Number(verdict)), attempts]),
    ),
  }));
}

async function movesOf(sql: Sql, key: readonly string[]): Promise<object[]> {
  const rows = await sql.query<{
    evaluation: number;
    from_bin: Bin;
    to_bin: Bin;
    reason: string;
    moved_at: Date | null;
  }>(
    `SELECT evaluation::float8 AS evaluation, from_bin, to_bin, reason, moved_at FROM bin_move
     WHERE target = $1 AND problem_id = $2 ORDER BY evaluation`,
    key,
  );
  return rows.map(({ from_bin, to_bin, moved_at, ...row }) => ({
    ...row,
    from: binName(from_bin),
    to: binName(to_bin),
    moved_at: moved_at?.toISOString() ?? null,
  }));
}

async function newestGroups(sql: Sql, key: readonly string[]): Promise<object[]> {
  const rows = await sql.query<{ purpose: Purpose; verdicts: readonly Verdict[]; graded_at: Date | null }>(
    `SELECT group_id, version, checkpoint, purpose, submitter, graded_by_submitter, verdicts, truncated, refused,
       graded_at FROM graded_group
     WHERE target = $1 AND problem_id = $2 ORDER BY graded_at DESC NULLS LAST, group_id LIMIT ${NEWEST_GROUPS}`,
    key,
  );
  return rows.map(({ purpose, verdicts, graded_at, ...row }) => ({
    ...row,
    purpose: purposeName(purpose),
    verdicts: verdicts.map(verdictName),
    graded_at: graded_at?.toISOString() ?? null,
  }));
}

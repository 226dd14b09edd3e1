import { fromBinary } from '@bufbuild/protobuf';
import {
  type CalibrationPublished,
  CalibrationPublishedSchema,
  CuratedProblemSchema,
  DifficultyEstimatedSchema,
  type TargetDeclared,
  TargetDeclaredSchema,
} from '@tidemark/proto';
import type { Sql } from '@tidemark/stage-runtime';
import type { StoredProblem } from './appraise.ts';

/** A target as select knows it. */
export interface StoredTarget {
  readonly declaration: TargetDeclared;
  readonly calibration: CalibrationPublished | undefined;
  /** Newest checkpoint: its name and place in the line; an empty name before the first. */
  readonly checkpoint: { readonly name: string; readonly ordinal: number };
  readonly ordinals: ReadonlyMap<string, number>;
}

/** Reads a target with its newest calibration and its checkpoints; undefined when it is not declared. */
export async function loadTarget(sql: Sql, slug: string): Promise<StoredTarget | undefined> {
  const [row] = await sql.query<{ declaration: Buffer }>('SELECT declaration FROM targets WHERE target = $1', [slug]);
  if (row === undefined) return undefined;
  const declaration = fromBinary(TargetDeclaredSchema, row.declaration);
  const [calibrated] = await sql.query<{ calibration: Buffer }>(
    'SELECT calibration FROM calibrations WHERE target = $1 AND target_version = $2 ORDER BY version DESC LIMIT 1',
    [slug, declaration.version],
  );
  const checkpoints = await sql.query<{ checkpoint: string; ordinal: number }>(
    'SELECT checkpoint, ordinal FROM checkpoints WHERE target = $1 ORDER BY ordinal',
    [slug],
  );
  const newest = checkpoints.at(-1);
  return {
    declaration,
    calibration: calibrated && fromBinary(CalibrationPublishedSchema, calibrated.calibration),
    checkpoint: { name: newest?.checkpoint ?? '', ordinal: newest?.ordinal ?? -1 },
    ordinals: new Map(checkpoints.map(({ checkpoint, ordinal }) => [checkpoint, ordinal])),
  };
}

interface ProblemRow {
  content: Buffer;
  synthetic: boolean;
  score: number | null;
  estimate: Buffer | null;
}

/**
 * Ready problems of the training side outside the target's panel: all that are measured, and of the others as many as
 * could enter. Problem ids are hashes, so their order is a fair draw.
 */
export async function loadProblems(
  sql: Sql,
  target: StoredTarget,
  unmeasuredLimit: number,
): Promise<ReadonlyMap<string, StoredProblem>> {
  const { target: slug, version } = target.declaration;
  const rows = await sql.query<ProblemRow>(
    `WITH ready AS (
       SELECT p.problem_id, p.content, p.synthetic, s.score, e.estimate
       FROM problems p
       LEFT JOIN splits ON splits.problem_id = p.problem_id
       LEFT JOIN scores s ON s.problem_id = p.problem_id AND s.version = p.version
       LEFT JOIN estimates e ON e.target = $1 AND e.problem_id = p.problem_id AND e.version = p.version
         AND e.suite_hash = p.suite_hash AND e.target_version = $2
       WHERE NOT coalesce(splits.held_out, p.held_out)
         AND NOT EXISTS (SELECT FROM withdrawals w
                         WHERE w.problem_id = p.problem_id AND NOT w.taken_back AND w.version >= p.version)
         AND NOT EXISTS (SELECT FROM panel_members m WHERE m.target = $1 AND m.problem_id = p.problem_id)
     )
     (SELECT * FROM ready WHERE estimate IS NOT NULL)
     UNION ALL
     (SELECT * FROM ready WHERE estimate IS NULL ORDER BY problem_id LIMIT $3)`,
    [slug, version, unmeasuredLimit],
  );
  const problems = rows.map(
    (row): StoredProblem => ({
      content: fromBinary(CuratedProblemSchema, row.content),
      synthetic: row.synthetic,
      score: row.score ?? undefined,
      estimate: row.estimate === null ? undefined : fromBinary(DifficultyEstimatedSchema, row.estimate),
    }),
  );
  return new Map(problems.map((problem) => [problem.content.problemId, problem]));
}

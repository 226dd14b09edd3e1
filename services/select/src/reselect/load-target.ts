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
import { OUTSIDE_PANEL, READY } from './ready.ts';

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
  traceparent: string | null;
}

/**
 * Ready problems of the training side outside the target's panel: all that are measured, and of the others as many as
 * could enter. Problem ids are hashes, so their order is a fair draw. Which suite an estimate rests on is calibrate's to
 * decide: it stays in force until an evaluation says otherwise.
 *
 * @param withSynthetic false leaves unmeasured synthetic problems unread, where the target takes none
 */
export async function loadProblems(
  sql: Sql,
  target: StoredTarget,
  unmeasuredLimit: number,
  withSynthetic: boolean,
): Promise<ReadonlyMap<string, StoredProblem>> {
  const { target: slug, version } = target.declaration;
  const measured = await sql.query<ProblemRow>(
    `SELECT p.content, p.synthetic, p.traceparent, s.score, e.estimate
     FROM estimates e JOIN problems p ON p.problem_id = e.problem_id AND p.version = e.version
     LEFT JOIN scores s ON s.problem_id = p.problem_id AND s.version = p.version
     WHERE e.target = $1 AND e.target_version = $2 AND ${READY} AND ${OUTSIDE_PANEL}`,
    [slug, version],
  );
  const unmeasured = await sql.query<ProblemRow>(
    `SELECT p.content, p.synthetic, p.traceparent, s.score, NULL::bytea AS estimate
     FROM problems p LEFT JOIN scores s ON s.problem_id = p.problem_id AND s.version = p.version
     WHERE ${READY} AND ${OUTSIDE_PANEL} AND ($4 OR NOT p.synthetic)
       AND NOT EXISTS (SELECT FROM estimates e WHERE e.target = $1 AND e.problem_id = p.problem_id
                       AND e.version = p.version AND e.target_version = $2)
     ORDER BY p.problem_id LIMIT $3`,
    [slug, version, unmeasuredLimit, withSynthetic],
  );
  const problems = [...measured, ...unmeasured].map(
    (row): StoredProblem => ({
      content: fromBinary(CuratedProblemSchema, row.content),
      synthetic: row.synthetic,
      traceparent: row.traceparent ?? undefined,
      score: row.score ?? undefined,
      estimate: row.estimate === null ? undefined : fromBinary(DifficultyEstimatedSchema, row.estimate),
    }),
  );
  return new Map(problems.map((problem) => [problem.content.problemId, problem]));
}

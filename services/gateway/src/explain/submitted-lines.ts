import type { Stage } from '@tidemark/proto';
import type { Sql } from '@tidemark/stage-runtime';
import { missingOf } from '../intake/missing-subjects.ts';
import { turnedAwayOf } from '../intake/turned-away.ts';
import { stageName } from '../read-model/names.ts';
import { PROBLEM_COLUMNS, type ProblemRow, problemJson } from './problem-list.ts';

/** Which lines are asked for. */
export interface LineQuery {
  /** A file by any name that it came under. */
  readonly sourceFile?: string | undefined;
  /** One upload, by the id that its summary gave. */
  readonly uploadId?: string | undefined;
  readonly line?: number | undefined;
  /** Leaves out what is as it should be: ready problems and graded groups. */
  readonly failed: boolean;
  /** Of each kind. */
  readonly limit: number;
  /** Whose alone; undefined for everybody's. */
  readonly submitter: string | undefined;
}

/** The uploads asked for; parameters $1, $2 and $5. */
const UPLOADS = `(SELECT upload_id FROM upload JOIN (
    SELECT $2::text AS upload_id UNION SELECT upload_id FROM upload_name WHERE source_file = $1) AS named USING (upload_id)
  WHERE $5::text IS NULL OR submitter = $5)`;

/**
 * What became of the lines of a file: problems, groups of attempts, lines that were refused at the door, and records
 * laid aside later.
 */
export async function submittedLines(sql: Sql, query: LineQuery): Promise<object> {
  const { sourceFile, uploadId, line, limit, submitter } = query;
  const asked = [sourceFile ?? null, uploadId ?? null, line ?? null, limit, submitter ?? null];
  return {
    problems: await problemsOf(sql, query, asked),
    refused: await sql.query(
      `SELECT s.line::float8 AS line, u.kind, s.faults FROM submission AS s JOIN upload AS u USING (upload_id)
       WHERE s.upload_id IN ${UPLOADS} AND s.faults IS NOT NULL AND ($3::bigint IS NULL OR s.line = $3)
       ORDER BY u.first_at DESC, s.line LIMIT $4`,
      asked,
    ),
    groups: await groupsOf(sql, query, asked),
    dead_letters: await sql.query(
      `SELECT topic, service, error_code, error_message, source_record::float8 AS source_record, dead_lettered_at
       FROM dead_letter AS l
       WHERE ($3::bigint IS NULL OR source_record = $3) AND (($5::text IS NULL AND source_file = $1) OR EXISTS (
         SELECT FROM upload JOIN upload_name USING (upload_id) JOIN submission USING (upload_id)
         WHERE upload_id IN ${UPLOADS} AND upload_name.source_file = l.source_file AND line = l.source_record
           AND l.topic = upload.kind || '.intake.v1' AND l.dead_lettered_at >= upload.first_at))
       ORDER BY source_record, dead_lettered_at LIMIT $4`,
      asked,
    ),
  };
}

async function problemsOf(sql: Sql, { failed }: LineQuery, asked: readonly unknown[]): Promise<object[]> {
  const rows = await sql.query<ProblemRow & { line: number | null; message: string | null }>(
    `SELECT ${PROBLEM_COLUMNS}, line FROM (
       SELECT DISTINCT ON (problem_id) problem_id, line::float8 AS line FROM (
         SELECT problem_id, line FROM submission
         WHERE upload_id IN ${UPLOADS} AND problem_id IS NOT NULL AND group_id IS NULL AND ($3::bigint IS NULL OR line = $3)
         UNION ALL SELECT problem_id, source_record FROM problem
         WHERE source_file = $1 AND ($3::bigint IS NULL OR source_record = $3)
           AND ($5::text IS NULL OR submitter = $5)) AS lines
       ORDER BY problem_id, line DESC) AS asked JOIN problem USING (problem_id)
     WHERE NOT $6::boolean OR state <> 'ready'
     ORDER BY line, problem_id LIMIT $4`,
    [...asked, failed],
  );
  const messages = await messagesOf(sql, rows);
  return rows.map((row) => {
    const message = row.state === 'ready' ? undefined : messages.get(`${row.problem_id} ${row.stage}`);
    return { line: row.line, ...problemJson(row), ...(message !== undefined && { message }) };
  });
}

/** What stages say of problems, by problem and stage. */
async function messagesOf(sql: Sql, problems: readonly ProblemRow[]): Promise<ReadonlyMap<string, string>> {
  if (problems.length === 0) return new Map();
  const rows = await sql.query<{ problem_id: string; stage: Stage; message: string }>(
    `SELECT problem_id, stage, message FROM stage_status WHERE problem_id = ANY ($1::text[]) AND message <> ''`,
    [problems.map(({ problem_id }) => problem_id)],
  );
  return new Map(rows.map(({ problem_id, stage, message }) => [`${problem_id} ${stageName(stage)}`, message]));
}

interface GroupRow {
  readonly line: number;
  readonly group: string;
  readonly problem_id: string;
  readonly target: string;
  readonly checkpoint: string;
  readonly graded: boolean;
  readonly problem_state: string | null;
  readonly error_code: string | null;
  readonly error_message: string | null;
}

/** Groups of attempts with where each stands: graded, laid aside, waiting for what is missing, or on its way. */
async function groupsOf(sql: Sql, { failed }: LineQuery, asked: readonly unknown[]): Promise<object[]> {
  const rows = await sql.query<GroupRow>(
    `SELECT * FROM (
       SELECT s.line::float8 AS line, s.group_id AS group, problem_id, s.target, s.checkpoint,
         EXISTS (SELECT FROM graded_group AS g WHERE g.target = s.target AND g.problem_id = s.problem_id
           AND g.group_id = s.group_id AND g.submitter = u.submitter) AS graded,
         d.error_code, d.error_message, p.state AS problem_state
       FROM submission AS s LEFT JOIN problem AS p USING (problem_id) JOIN upload AS u USING (upload_id)
       LEFT JOIN LATERAL (
         SELECT error_code, error_message FROM dead_letter AS l JOIN upload_name AS n USING (source_file)
         WHERE n.upload_id = s.upload_id AND l.source_record = s.line AND l.topic LIKE 'rollouts.%'
           AND l.state <> 'replayed' AND l.dead_lettered_at >= u.first_at
         ORDER BY l.dead_lettered_at DESC LIMIT 1) AS d ON true
       WHERE s.upload_id IN ${UPLOADS} AND s.group_id IS NOT NULL AND ($3::bigint IS NULL OR s.line = $3)) AS stands
     WHERE NOT $6::boolean OR NOT graded OR error_code IS NOT NULL
     ORDER BY line LIMIT $4`,
    [...asked, failed],
  );
  const missing = await missingOf(sql, rows);
  const turnedAway = await turnedAwayOf(
    sql,
    rows.map(({ problem_id }) => problem_id),
  );
  return rows.map(({ graded, error_code, error_message, problem_state, ...row }, index) => {
    // The problem is known, and nothing judges attempts at it before its own tests are proved.
    const unproved = problem_state === 'ready' ? undefined : ({ kind: 'verification', name: row.problem_id } as const);
    const away = turnedAway.get(row.problem_id);
    return {
      ...row,
      ...standing(graded, error_code, error_message, missing[index] ?? unproved),
      ...(away !== undefined && { turned_away: away }),
    };
  });
}

function standing(graded: boolean, code: string | null, message: string | null, missing: object | undefined): object {
  if (code !== null) return { state: 'dead_lettered', reason: code, message };
  if (graded) return { state: 'graded' };
  return missing === undefined ? { state: 'on_its_way' } : { state: 'waiting', waits_for: missing };
}

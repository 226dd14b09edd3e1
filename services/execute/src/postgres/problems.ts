import { fromBinary, toBinary } from '@bufbuild/protobuf';
import { type ProblemUnique, ProblemUniqueSchema } from '@tidemark/proto';
import { decodeOrigin, encodeOriginBesideValue, type Origin, type Sql } from '@tidemark/stage-runtime';

export type ProblemState = 'verifying' | 'verified' | 'rejected' | 'waiting' | 'removed';

/** How far a problem has come here. */
export interface KnownProblem {
  readonly problemId: string;
  /** Newest version seen. */
  readonly version: number;
  /** Of that version. */
  readonly state: ProblemState;
  readonly event: ProblemUnique;
  /** The record that the event came in. Undefined where a replica of the release before wrote the row. */
  readonly origin: Origin | undefined;
  /** The version in force; 0 when none passed. */
  readonly verifiedVersion: number;
  /** Languages, any of which would let it be verified. Absent: it waits for none. */
  readonly waitsFor?: readonly string[];
}

interface Row {
  readonly problem_id: string;
  readonly version: number;
  readonly state: ProblemState;
  readonly unique_event: Uint8Array;
  readonly origin: Uint8Array | null;
  readonly verified_version: number;
}

/** Rows of these problems, locked in order of their ids until the transaction ends. */
export async function lockProblems(sql: Sql, problemIds: readonly string[]): Promise<Map<string, KnownProblem>> {
  const rows = await sql.query<Row>(
    'SELECT * FROM problems WHERE problem_id = ANY($1::text[]) ORDER BY problem_id FOR UPDATE',
    [problemIds],
  );
  return new Map(rows.map((row) => [row.problem_id, fromRow(row)]));
}

/** One problem, unlocked. */
export async function readProblem(sql: Sql, problemId: string): Promise<KnownProblem | undefined> {
  const [row] = await sql.query<Row>('SELECT * FROM problems WHERE problem_id = $1', [problemId]);
  return row && fromRow(row);
}

export async function saveProblems(sql: Sql, problems: readonly KnownProblem[]): Promise<void> {
  if (problems.length === 0) return;
  const rows = [...problems].sort((a, b) => (a.problemId < b.problemId ? -1 : 1));
  await sql.query(
    `INSERT INTO problems (problem_id, version, state, unique_event, verified_version, waits_for, origin)
     SELECT problem_id, version, state, unique_event, verified_version, string_to_array(waits_for, E'\\n'), origin
     FROM unnest($1::text[], $2::int[], $3::text[], $4::bytea[], $5::int[], $6::text[], $7::bytea[])
       AS r (problem_id, version, state, unique_event, verified_version, waits_for, origin)
     ON CONFLICT (problem_id) DO UPDATE SET version = excluded.version, state = excluded.state,
       unique_event = excluded.unique_event, verified_version = excluded.verified_version,
       waits_for = excluded.waits_for, origin = excluded.origin`,
    [
      rows.map((row) => row.problemId),
      rows.map((row) => row.version),
      rows.map((row) => row.state),
      rows.map(({ origin, event }) => Buffer.from(origin?.record.value ?? toBinary(ProblemUniqueSchema, event))),
      rows.map((row) => row.verifiedVersion),
      rows.map((row) => (row.waitsFor ?? []).join('\n')),
      rows.map(({ origin }) => (origin === undefined ? null : encodeOriginBesideValue(origin))),
    ],
  );
}

/** Locks problems that wait for one of these languages and are not withdrawn; those that another replica has are left. */
export async function lockWaitingFor(sql: Sql, languages: readonly string[], limit: number): Promise<KnownProblem[]> {
  const rows = await sql.query<Row>(
    `SELECT * FROM problems p
     WHERE p.waits_for && $1::text[] AND p.waits_for <> '{}' AND p.state = 'waiting'
       AND NOT EXISTS (SELECT FROM withdrawals w WHERE w.problem_id = p.problem_id AND w.version >= p.version)
     ORDER BY p.problem_id LIMIT $2 FOR UPDATE SKIP LOCKED`,
    [languages, limit],
  );
  return rows.map(fromRow);
}

function fromRow(row: Row): KnownProblem {
  return {
    problemId: row.problem_id,
    version: row.version,
    state: row.state,
    event: fromBinary(ProblemUniqueSchema, row.unique_event),
    origin: row.origin === null ? undefined : decodeOrigin(row.origin, row.unique_event),
    verifiedVersion: row.verified_version,
  };
}

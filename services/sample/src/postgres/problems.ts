import { fromBinary, toBinary } from '@bufbuild/protobuf';
import { type Payload, PayloadSchema } from '@tidemark/proto';
import type { Sql } from '@tidemark/stage-runtime';

/** What a prompt is made of. */
export interface AskableProblem {
  readonly problemId: string;
  readonly version: number;
  readonly statement: Payload;
  /** Empty when none. */
  readonly starterCode: string;
  /** Empty for programs. */
  readonly entryPoint: string;
  /** Lower case; empty for any. */
  readonly language: string;
}

/** A problem, and how far it is withdrawn. */
export interface KnownProblem extends AskableProblem {
  /** Versions up to this one are out, 0 when none is. */
  readonly withdrawnVersion: number;
}

/** Keeps problems; a lower version than the one known changes nothing. */
export async function saveProblems(sql: Sql, problems: readonly AskableProblem[]): Promise<void> {
  await sql.query(
    `INSERT INTO problem (problem_id, version, statement, starter_code, entry_point, language)
     SELECT * FROM unnest($1::text[], $2::int[], $3::bytea[], $4::text[], $5::text[], $6::text[])
     ON CONFLICT (problem_id) DO UPDATE SET version = excluded.version, statement = excluded.statement,
       starter_code = excluded.starter_code, entry_point = excluded.entry_point, language = excluded.language
     WHERE problem.version <= excluded.version`,
    [
      problems.map(({ problemId }) => problemId),
      problems.map(({ version }) => version),
      problems.map(({ statement }) => Buffer.from(toBinary(PayloadSchema, statement))),
      problems.map(({ starterCode }) => starterCode),
      problems.map(({ entryPoint }) => entryPoint),
      problems.map(({ language }) => language),
    ],
  );
}

export async function forgetProblems(sql: Sql, problemIds: readonly string[]): Promise<void> {
  await sql.query('DELETE FROM problem WHERE problem_id = ANY($1::text[])', [problemIds]);
}

/** The problems named, as far as they are known. */
export async function loadProblems(sql: Sql, problemIds: readonly string[]): Promise<readonly KnownProblem[]> {
  const rows = await sql.query<{
    problem_id: string;
    version: number;
    statement: Buffer;
    starter_code: string;
    entry_point: string;
    language: string;
    withdrawn: number;
  }>(
    `SELECT p.*, coalesce((SELECT max(w.version) FROM withdrawal w WHERE w.problem_id = p.problem_id), 0)::int AS withdrawn
     FROM problem p WHERE p.problem_id = ANY($1::text[])`,
    [problemIds],
  );
  return rows.map((row) => ({
    problemId: row.problem_id,
    version: row.version,
    statement: fromBinary(PayloadSchema, row.statement),
    starterCode: row.starter_code,
    entryPoint: row.entry_point,
    language: row.language,
    withdrawnVersion: row.withdrawn,
  }));
}

/** One stage's newest word on a problem: it is out up to a version; 0 takes that back. */
export interface Withdrawal {
  readonly problemId: string;
  readonly stage: number;
  readonly version: number;
}

export async function saveWithdrawals(sql: Sql, withdrawals: readonly Withdrawal[]): Promise<void> {
  await sql.query(
    `INSERT INTO withdrawal (problem_id, stage, version)
     SELECT * FROM unnest($1::text[], $2::int[], $3::int[])
     ON CONFLICT (problem_id, stage) DO UPDATE SET version = excluded.version`,
    [
      withdrawals.map(({ problemId }) => problemId),
      withdrawals.map(({ stage }) => stage),
      withdrawals.map(({ version }) => version),
    ],
  );
}

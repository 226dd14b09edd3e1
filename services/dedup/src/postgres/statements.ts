import type { Sql } from '@tidemark/stage-runtime';
import type { SplitSide } from '../clusters/decide-cluster.ts';

/** The first clusters with one statement: the least problem of each. */
export type Heads = readonly { readonly identity: string; readonly problemId: string }[];

/** What the clusters of one statement share. Lock it first. */
export interface LoadedStatement {
  readonly statementSha256: string;
  /** Undefined before anything with this statement was published. */
  readonly split: SplitSide | undefined;
  /** As they are now, at most as many as asked for. */
  readonly heads: Heads;
  /** Whether they are others than what was said named. */
  readonly headsChanged: boolean;
}

/** @param most heads of a statement */
export async function loadStatements(
  sql: Sql,
  statements: Iterable<string>,
  most: number,
): Promise<Map<string, LoadedStatement>> {
  const rows = await sql.query<{
    statement_sha256: string;
    split: SplitSide | null;
    named: Heads | null;
    heads: Heads;
  }>(
    `SELECT s.statement_sha256, s.split, s.heads AS named, coalesce(p.heads, '[]') AS heads
     FROM statements s
     CROSS JOIN LATERAL (
       SELECT jsonb_agg(jsonb_build_object('identity', identity_sha256, 'problemId', problem_id) ORDER BY problem_id) AS heads
       FROM (
         SELECT identity_sha256, min(problem_id) AS problem_id FROM problems
         WHERE statement_sha256 = s.statement_sha256 AND identity_sha256 IS NOT NULL
         GROUP BY identity_sha256 ORDER BY min(problem_id) LIMIT $2
       ) AS first
     ) p
     WHERE s.statement_sha256 = ANY($1)`,
    [[...new Set(statements)], most],
  );
  return new Map(
    rows.map(({ statement_sha256, split, named, heads }) => [
      statement_sha256,
      {
        statementSha256: statement_sha256,
        split: split ?? undefined,
        heads,
        headsChanged: namesOf(named ?? []) !== namesOf(heads),
      },
    ]),
  );
}

/** Clusters of other identities with one of these statements. */
export async function loadIdentitiesOf(sql: Sql, statements: readonly string[]): Promise<Map<string, string>> {
  if (statements.length === 0) return new Map();
  const rows = await sql.query<{ identity_sha256: string; statement_sha256: string }>(
    `SELECT DISTINCT identity_sha256, statement_sha256 FROM problems
     WHERE statement_sha256 = ANY($1) AND identity_sha256 IS NOT NULL`,
    [statements],
  );
  return new Map(rows.map((row) => [row.identity_sha256, row.statement_sha256]));
}

export async function saveStatements(
  sql: Sql,
  statements: readonly {
    readonly statementSha256: string;
    readonly split: SplitSide | undefined;
    readonly heads: Heads;
  }[],
): Promise<void> {
  if (statements.length === 0) return;
  await sql.query(
    `UPDATE statements SET split = s.split, heads = s.heads
     FROM unnest($1::text[], $2::text[], $3::jsonb[]) AS s (statement_sha256, split, heads)
     WHERE statements.statement_sha256 = s.statement_sha256`,
    [
      statements.map((one) => one.statementSha256),
      statements.map((one) => one.split ?? null),
      statements.map((one) => JSON.stringify(one.heads)),
    ],
  );
}

const namesOf = (heads: Heads): string => heads.map(({ identity, problemId }) => `${identity} ${problemId}`).join(',');

import { topics } from '@tidemark/event-log';
import { Parking, type Sql } from '@tidemark/stage-runtime';

/** What a group waits for. */
export type GroupColumns = {
  readonly target: string;
  readonly target_version: number;
  readonly problem_id: string;
  /** 0: the version in force. */
  readonly problem_version: number;
  /** Set when it waits for a replica that has this language, and for nothing else. */
  readonly language: string | undefined;
};

/**
 * Groups that wait for their problem's suite or their target, or for a language. While a problem is being verified, or
 * waits for a language, its groups are not given up: what is slow here is no fault of theirs.
 */
export const parkedGroups = new Parking<GroupColumns>({
  topic: topics.rolloutsSubmitted.name,
  value: 'submitted_event',
  columns: { target: 'text', target_version: 'int', problem_id: 'text', problem_version: 'int', language: 'text' },
  bounded: 'p.language IS NULL',
  ready: `p.language IS NULL AND EXISTS (SELECT FROM targets t WHERE t.target = p.target AND t.version = p.target_version)
    AND EXISTS (SELECT FROM suites s JOIN problems k USING (problem_id) WHERE s.problem_id = p.problem_id
      AND s.version = CASE p.problem_version WHEN 0 THEN k.verified_version ELSE p.problem_version END)`,
  onItsWay: `p.language IS NOT NULL OR EXISTS (SELECT FROM problems k WHERE k.problem_id = p.problem_id
    AND (k.state = 'verifying' OR k.waits_for <> '{}') AND p.problem_version IN (0, k.version))`,
});

/** How many groups wait for a language, counted no further than `limit`. */
export async function countWaitingForLanguage(sql: Sql, limit: number): Promise<number> {
  const [row] = await sql.query<{ count: bigint }>(
    'SELECT count(*) AS count FROM (SELECT 1 FROM parked_groups WHERE language IS NOT NULL LIMIT $1) AS waiting',
    [limit],
  );
  return Number(row?.count ?? 0);
}

import type { RolloutsGraded } from '@tidemark/proto';
import type { Sql } from '@tidemark/stage-runtime';
import { insertNewRows, type RowOf } from '../postgres/table.ts';
import { gradedGroups } from '../postgres/tables.ts';
import { dateOf } from '../read-model/json.ts';
import { type CountedVerdicts, countVerdicts } from './count-group.ts';

/** A group as the read model keeps it: verdicts alone, never outputs. */
export interface GroupRow extends RowOf<typeof gradedGroups> {
  readonly target: string;
  readonly problem_id: string;
  readonly group_id: string;
  readonly submitter: string;
  readonly suite_hash: string;
  readonly version: number;
  readonly checkpoint: string;
  readonly purpose: number;
  /** It is in the target's totals: each group once, as it was graded first. */
  readonly counted: boolean;
  readonly counts: CountedVerdicts;
}

export function groupRowOf(graded: RolloutsGraded): GroupRow {
  const { group, ...event } = graded;
  const counts = countVerdicts(graded);
  return {
    target: group?.target ?? '',
    problem_id: group?.problemId ?? '',
    group_id: group?.groupId ?? '',
    suite_hash: event.suiteHash,
    version: group?.version ?? 0,
    target_version: group?.targetVersion ?? 0,
    checkpoint: group?.checkpoint ?? '',
    purpose: counts.purpose,
    submitter: event.submitter?.name ?? '',
    judge_version: event.judgeVersion,
    graded_by_submitter: event.gradedBySubmitter,
    held_out: event.heldOut,
    lease_id: group?.leaseId ?? '',
    verdicts: event.verdicts.map(({ verdict }) => verdict),
    truncated: event.verdicts.filter(({ truncated }) => truncated).length,
    graded_at: dateOf(event.gradedAt),
    counted: counts.totals !== undefined,
    refused: false,
    counts,
  };
}

/**
 * Stores groups that are new under their suites. A group that another suite graded before is in the totals already.
 *
 * @returns those that were new
 */
export async function storeGroups(sql: Sql, groups: readonly GroupRow[]): Promise<GroupRow[]> {
  if (groups.length === 0) return [];
  const known = await sql.query<GroupIdentity>(
    `SELECT target, problem_id, group_id, submitter FROM graded_group
     WHERE (target, problem_id, group_id, submitter) IN
       (SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[]))`,
    [
      groups.map(({ target }) => target),
      groups.map(({ problem_id }) => problem_id),
      groups.map(({ group_id }) => group_id),
      groups.map(({ submitter }) => submitter),
    ],
  );
  const seen = new Set(known.map(idOf));
  const rows = groups.map((group): GroupRow => {
    const repeated = seen.has(idOf(group));
    seen.add(idOf(group));
    return repeated ? { ...group, counted: false } : group;
  });
  // Of equal keys the last row counts: the first one has the counts.
  return (await insertNewRows(sql, gradedGroups, rows.reverse())) as GroupRow[];
}

/**
 * What calibrate would not count, because the group came too late for example, leaves the counts; where the group itself
 * is still to come, it will not enter them.
 *
 * @returns groups that were counted before
 */
export async function refuseGroups(sql: Sql, groups: readonly GroupRow[]): Promise<GroupRow[]> {
  const rows = new Map(groups.map((group) => [`${idOf(group)} ${group.suite_hash}`, group]));
  const left: GroupRow[] = [];
  for (const [, group] of [...rows].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const { target, problem_id, group_id, submitter, suite_hash } = group;
    const fresh = await insertNewRows(sql, gradedGroups, [{ ...group, counted: false, refused: true }]);
    if (fresh.length > 0) continue;
    const [row] = await sql.query<{ counted: boolean }>(
      `UPDATE graded_group SET refused = true
       WHERE target = $1 AND problem_id = $2 AND group_id = $3 AND submitter = $4 AND suite_hash = $5 AND NOT refused
       RETURNING counted`,
      [target, problem_id, group_id, submitter, suite_hash],
    );
    if (row !== undefined) left.push({ ...group, counted: row.counted });
  }
  return left;
}

type GroupIdentity = Pick<GroupRow, 'target' | 'problem_id' | 'group_id' | 'submitter'>;

const idOf = ({ target, problem_id, group_id, submitter }: GroupIdentity): string =>
  JSON.stringify([target, problem_id, group_id, submitter]);

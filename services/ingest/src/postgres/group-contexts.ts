import type { RolloutRecord } from '@tidemark/formats';
import type { Sql } from '@tidemark/stage-runtime';
import type { GroupContext } from '../on-rollouts-intake/decide-group.ts';

/** What is known of the problems, targets and checkpoints that some groups speak of. */
export async function loadGroupContexts(
  sql: Sql,
  groups: readonly RolloutRecord[],
): Promise<(group: RolloutRecord) => GroupContext> {
  const problems = await sql.query<{ problem_id: string; version: number }>(
    `SELECT problem_id, version FROM records WHERE problem_id = ANY($1) AND state IN ('accepted', 'withdrawn')`,
    [[...new Set(groups.map((group) => group.problemId))]],
  );
  const targets = [[...new Set(groups.map((group) => group.target))]];
  const sizes = await sql.query<{ target: string; version: number; group_size: number }>(
    'SELECT target, version, group_size FROM targets WHERE target = ANY($1)',
    targets,
  );
  const checkpoints = await sql.query<{ target: string; checkpoint: string; target_version: number }>(
    'SELECT target, checkpoint, target_version FROM checkpoints WHERE target = ANY($1)',
    targets,
  );
  const versions = new Map(problems.map((row) => [row.problem_id, row.version]));
  const sizesByTarget = Map.groupBy(sizes, (row) => row.target);
  const checkpointVersions = new Map(checkpoints.map((row) => [`${row.target} ${row.checkpoint}`, row.target_version]));
  return (group) => ({
    problemVersion: versions.get(group.problemId) ?? 0,
    checkpointTargetVersion: checkpointVersions.get(`${group.target} ${group.checkpoint}`),
    groupSizes: new Map((sizesByTarget.get(group.target) ?? []).map((row) => [row.version, row.group_size])),
  });
}

import { fromBinary } from '@bufbuild/protobuf';
import { topics } from '@tidemark/event-log';
import { RolloutsSubmittedSchema } from '@tidemark/proto';
import {
  type ActivitySource,
  Every,
  InjectConfig,
  type Origin,
  ReportsActivity,
  StageDatabase,
  type StageTransaction,
  type TimerTick,
  type Waiting,
} from '@tidemark/stage-runtime';
import type { ExecuteConfig } from '../execute.config.ts';
import { gradingJob, gradingJobs } from '../grade-rollouts/grading-jobs.ts';
import { countUnverified } from '../postgres/count-unverified.ts';
import { DUPLICATES_A_VERIFIED, duplicatedBy } from '../postgres/duplicates.ts';
import { loadGroupContexts } from '../postgres/group-contexts.ts';
import { type GroupColumns, parkedGroups } from '../postgres/parked.ts';

/** Groups taken up in one transaction. */
const CHUNK = 200;

/** Has groups graded when what they waited for is there, and lays them aside when it never came. */
@ReportsActivity()
export class ParkedGroups implements ActivitySource {
  constructor(
    private readonly database: StageDatabase,
    @InjectConfig() private readonly config: ExecuteConfig,
  ) {}

  @Every(1_000)
  async takeUp(_tick: TimerTick, tx: StageTransaction): Promise<void> {
    const ready = await parkedGroups.takeReady(tx, Math.min(CHUNK, await tx.jobRoom(gradingJobs)));
    const laidAside = await tx.takeUp(topics.rolloutsSubmitted, ready, enqueue);
    await parkedGroups.remove(tx, laidAside);
  }

  @Every(10_000)
  async giveUp(_tick: TimerTick, tx: StageTransaction): Promise<void> {
    const expired = await parkedGroups.takeExpired(tx, this.config.parkedForMs, CHUNK);
    for (const parked of expired) {
      const { problem_id, problem_version, target } = parked.columns;
      const message = `version ${problem_version} of problem ${problem_id} was never verified, or target ${target} never declared`;
      await tx.layAside(parked, 'unknown_problem', message);
    }
    await parkedGroups.remove(tx, expired);
  }

  /** What is asked of a problem that another equals is no question of its own: whoever asked is told so, at once. */
  @Every(2_000)
  async refuseDuplicates(_tick: TimerTick, tx: StageTransaction): Promise<void> {
    const groups = await parkedGroups.takeHopeless(tx, CHUNK, DUPLICATES_A_VERIFIED);
    if (groups.length === 0) return;
    const originals = await duplicatedBy(
      tx,
      groups.map(({ columns }) => columns.problem_id),
    );
    for (const group of groups) {
      const { problem_id } = group.columns;
      const original = originals.get(problem_id) ?? '';
      const message = `problem ${problem_id} is an exact duplicate of ${original}: report attempts at that one`;
      await tx.layAside(group, 'exact_duplicate', message);
    }
    await parkedGroups.remove(tx, groups);
  }

  async pendingWork(): Promise<Readonly<Record<string, number>>> {
    return { parkedGroupsReady: await parkedGroups.countReady(this.database) };
  }

  waiting(): Promise<readonly Waiting[]> {
    return countUnverified(this.database);
  }
}

/** Makes a job of each group whose suite is there. */
async function enqueue(
  tx: StageTransaction,
  ready: readonly (Origin & { readonly columns: GroupColumns })[],
): Promise<void> {
  const groups = ready.map(({ record }) => fromBinary(RolloutsSubmittedSchema, record.value ?? new Uint8Array()));
  const identities = ready.map(({ columns }) => ({
    target: columns.target,
    targetVersion: columns.target_version,
    problemId: columns.problem_id,
    version: columns.problem_version,
  }));
  const contexts = await loadGroupContexts(tx, identities);
  const taken: Origin[] = [];
  for (const [index, origin] of ready.entries()) {
    const version = contexts[index]?.judgedVersion ?? 0;
    const group = groups[index];
    if (version === 0 || group === undefined) continue;
    await tx.enqueue(gradingJobs, [gradingJob(origin, group, version)]);
    taken.push(origin);
  }
  await parkedGroups.remove(tx, taken);
}

import { createHash } from 'node:crypto';
import { curatedTopic } from '@tidemark/event-log';
import { chooseWorkingSet } from '@tidemark/selection';
import {
  type ActivitySource,
  Every,
  LeaseKeeper,
  ReportsActivity,
  StageDatabase,
  type StageTransaction,
  type TimerTick,
} from '@tidemark/stage-runtime';
import { toCandidate } from './appraise.ts';
import { curatedRecord, decideChanges } from './decide-changes.ts';
import { loadProblems, loadTarget } from './load-target.ts';
import { loadMembers, saveMembers } from './save-members.ts';
import { binSettingsOf, selectionSettingsOf } from './target-settings.ts';

/** The lease of a target: whoever holds it chooses, ranks and leases for it. */
export const targetLease = (slug: string): string => `target/${slug}`;

/** Something changed for a target → its working set is chosen anew, and the difference is published. */
@ReportsActivity()
export class Reselect implements ActivitySource {
  constructor(
    private readonly database: StageDatabase,
    private readonly leases: LeaseKeeper,
  ) {}

  @Every(250, { name: 'reselect', onEveryReplica: true })
  async turn(tick: TimerTick, tx: StageTransaction): Promise<void> {
    const targets = await tx.query<{ target: string }>('SELECT DISTINCT target FROM marks ORDER BY target');
    for (const { target } of targets) {
      const lease = await this.leases.acquire(targetLease(target));
      if (lease === undefined) continue;
      await tx.assertLease(lease);
      // Marks first: what commits after this leaves a mark of its own.
      await tx.query('DELETE FROM marks WHERE target = $1', [target]);
      await reselect(tx, tick, target);
    }
  }

  async pendingWork(): Promise<Readonly<Record<string, number>>> {
    const [row] = await this.database.query<{ targets: string }>('SELECT count(DISTINCT target) AS targets FROM marks');
    return { targetsToReselect: Number(row?.targets ?? 0) };
  }
}

async function reselect(tx: StageTransaction, tick: TimerTick, slug: string): Promise<void> {
  const target = await loadTarget(tx, slug);
  if (target === undefined) return;
  const settings = selectionSettingsOf(target.declaration);
  const bins = binSettingsOf(target.declaration);
  const problems = await loadProblems(tx, target, 2 * settings.workingSet);
  const { calibration, ordinals, checkpoint } = target;
  const candidates = [...problems.values()].map((problem) =>
    toCandidate(problem, { calibration, bins, ordinals, ordinal: checkpoint.ordinal }),
  );
  const chosen = chooseWorkingSet(candidates, settings, { slug, checkpoint: checkpoint.name });
  const records = chosen.members.flatMap((member) => {
    const problem = problems.get(member.candidate.problemId);
    return problem ? [curatedRecord(member, problem, { slug, version: target.declaration.version })] : [];
  });
  const changes = decideChanges(await loadMembers(tx, slug), records, sha256, Date.now());
  const topic = curatedTopic(slug);
  const cause = { ...tick, id: `${tick.id}/${slug}` };
  for (const { record } of changes.publish) tx.publish(cause, topic, record);
  for (const problemId of changes.leave) tx.publishTombstone(cause, topic, problemId);
  await saveMembers(
    tx,
    slug,
    changes,
    records.map((record) => record.problemId),
  );
}

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

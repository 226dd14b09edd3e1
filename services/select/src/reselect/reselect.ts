import { createHash } from 'node:crypto';
import { binSettingsOf } from '@tidemark/difficulty';
import { curatedTopic } from '@tidemark/event-log';
import { chooseWorkingSet } from '@tidemark/selection';
import {
  type ActivitySource,
  type Cause,
  classifyFault,
  Everywhere,
  type HeldLease,
  InjectLogger,
  KeyedBackoff,
  LeaseKeeper,
  LeaseLostError,
  ReportsActivity,
  StageDatabase,
  type StageTransaction,
  type TimerTick,
} from '@tidemark/stage-runtime';
import type { Logger } from 'pino';
import { toCandidate } from './appraise.ts';
import { curatedRecord, decideChanges } from './decide-changes.ts';
import { loadProblems, loadTarget } from './load-target.ts';
import { loadMembers, saveMembers, voidLeases } from './save-members.ts';
import { selectionSettingsOf } from './target-settings.ts';

/** The lease of a target: whoever holds it chooses, ranks and leases for it. */
export const targetLease = (slug: string): string => `target/${slug}`;

/** Something changed for a target → its working set is chosen anew, and the difference is published. */
@ReportsActivity()
export class Reselect implements ActivitySource {
  private readonly backoff = new KeyedBackoff({ firstMs: 500, maxMs: 60_000 });

  constructor(
    private readonly database: StageDatabase,
    private readonly leases: LeaseKeeper,
    @InjectLogger() private readonly logger: Logger,
  ) {}

  @Everywhere(250, 'reselect')
  async turn(tick: TimerTick): Promise<void> {
    const targets = await this.database.query<{ target: string }>('SELECT DISTINCT target FROM marks ORDER BY target');
    for (const { target } of targets) {
      if (this.backoff.isWaiting(target)) continue;
      const lease = await this.leases.acquire(targetLease(target));
      if (lease !== undefined) await this.reselectOne(target, lease, tick);
    }
  }

  /** In a transaction of its own: what goes wrong with one target holds up no other. */
  private async reselectOne(target: string, lease: HeldLease, tick: TimerTick): Promise<void> {
    try {
      await this.database.transaction('reselect', async (tx) => {
        await tx.assertLease(lease);
        // Marks first: what commits after this leaves a mark of its own.
        await tx.query('DELETE FROM marks WHERE target = $1', [target]);
        await reselect(tx, { ...tick, id: `${tick.id}/${target}` }, target);
      });
      this.backoff.succeeded(target);
    } catch (error) {
      if (error instanceof LeaseLostError) return;
      const { message } = classifyFault(error);
      const waitMs = this.backoff.failed(target);
      this.logger.warn({ target, waitMs, error: message }, 'the working set was not chosen; it will be tried again');
    }
  }

  async pendingWork(): Promise<Readonly<Record<string, number>>> {
    const [row] = await this.database.query<{ targets: string }>('SELECT count(DISTINCT target) AS targets FROM marks');
    return { targetsToReselect: Number(row?.targets ?? 0) };
  }
}

async function reselect(tx: StageTransaction, cause: Cause, slug: string): Promise<void> {
  const target = await loadTarget(tx, slug);
  if (target === undefined) return;
  const settings = selectionSettingsOf(target.declaration);
  const bins = binSettingsOf(target.declaration.bins);
  const problems = await loadProblems(tx, target, 2 * settings.workingSet, settings.syntheticShare > 0);
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
  for (const { record } of changes.publish) {
    // A record goes on in the trace by which its problem came, from the source to the trainer.
    const traceparent = problems.get(record.problemId)?.traceparent;
    tx.publish({ id: cause.id, traceparent }, topic, record);
  }
  for (const problemId of changes.leave) tx.publishTombstone(cause, topic, problemId);
  await voidLeases(tx, slug, changes.leave);
  await saveMembers(
    tx,
    slug,
    changes,
    records.map((record) => record.problemId),
  );
}

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

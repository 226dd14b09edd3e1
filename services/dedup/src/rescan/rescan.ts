import { decideContamination, type Overlap } from '@tidemark/contamination';
import {
  type ActivitySource,
  Every,
  ReportsActivity,
  StageDatabase,
  type StageTransaction,
  type TimerTick,
} from '@tidemark/stage-runtime';
import { Reconciler } from '../clusters/reconciler.ts';
import { findMatches, holdBenchmarks, loadBenchmarks } from '../postgres/benchmarks.ts';
import { lockPlaces } from '../postgres/clusters.ts';
import { countUnchecked, loadGrams, loadUnchecked, loadVersions, saveContamination } from '../postgres/problems.ts';

/** Problems checked in one transaction. */
const CHUNK = 300;

/** After a benchmark changed, checks every problem again, until none is left that was checked before. */
@ReportsActivity()
export class Rescan implements ActivitySource {
  constructor(
    private readonly database: StageDatabase,
    private readonly reconciler: Reconciler,
  ) {}

  @Every(500)
  async checkSome(tick: TimerTick, tx: StageTransaction): Promise<void> {
    await holdBenchmarks(tx);
    const checked = await loadBenchmarks(tx);
    const unchecked = await loadUnchecked(tx, checked.epoch, CHUNK);
    if (unchecked.length === 0) return;
    const identities = new Set(unchecked.map((one) => one.identity));
    await lockPlaces(tx, unchecked);
    const ids = unchecked.map((one) => one.problemId);
    const now = await loadVersions(tx, ids);
    // One that moved meanwhile was checked on its way.
    const still = ids.filter((id) => identities.has(now.get(id)?.place?.identity ?? ''));
    const grams = await loadGrams(tx, still);
    const matches = await findMatches(tx, grams);
    const found = new Map<string, Overlap | undefined>();
    for (const [id, own] of grams) {
      const decision = decideContamination(own.size, matches.get(id) ?? []);
      found.set(id, decision.kind === 'contaminated' ? decision.by : undefined);
    }
    await saveContamination(tx, found, checked);
    await this.reconciler.reconcile(
      tx,
      unchecked.map(({ identity, statement }) => ({ identity, statement, cause: tick })),
    );
  }

  async pendingWork(): Promise<Readonly<Record<string, number>>> {
    return { problemsToCheckAgain: await countUnchecked(this.database) };
  }
}

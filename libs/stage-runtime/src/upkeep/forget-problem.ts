import { topics } from '@tidemark/event-log';
import { type ForgetProblem, ForgetStep } from '@tidemark/proto';
import { DependencyFault } from '../api.ts';
import { readStoredOffsets } from '../consume/offset-table.ts';
import { sleep } from '../sleep.ts';
import type { StageParts } from '../stage-parts.ts';
import { StageWork } from '../stage-work.ts';
import { type Erased, eraseProblem, hideRevisions, searchTables } from './erase-problem.ts';
import { closeTo, openTo } from './forgotten.ts';
import { storeHashes } from './mark-blobs.ts';

/** How long the service may need to read the withdrawal of the problem. */
const WITHDRAWN_WITHIN_MS = 60_000;

/** What the worker knows of its service. */
export interface Forgetting {
  readonly parts: StageParts;
  readonly consumed: () => readonly string[];
  readonly dependents: readonly string[];
}

/** Removes a problem from the service, or removes what has come since and says where it is still found. */
export async function forgetProblem(
  forgetting: Forgetting,
  commandId: string,
  { problemId, step, words }: ForgetProblem,
): Promise<Record<string, string>> {
  const { parts, consumed } = forgetting;
  if (step === ForgetStep.ERASE) await untilWithdrawn(forgetting);
  const erased = await erase(forgetting, commandId, problemId);
  const results: Record<string, string> = Object.fromEntries(
    Object.entries(erased.rows).map(([table, rows]) => [`erased ${table}`, String(rows)]),
  );
  if (erased.blobs.size > 0) results.blobs = await storeHashes(parts.blobs, erased.blobs);
  if (step === ForgetStep.ERASE) return results;
  const found = await parts.transactions.run('forget/search', async (open) => {
    await openTo(open, parts.log, problemId, consumed());
    return await searchTables(open, problemId, words);
  });
  const left = [...Object.entries(found.id), ...Object.entries(found.words)];
  for (const [table, rows] of left) results[`found ${table}`] = String(rows);
  return { ...results, tables: String(found.tables), shared: String(found.shared) };
}

function erase({ parts, dependents }: Forgetting, commandId: string, problemId: string): Promise<Erased> {
  const handler = `${parts.identity.service}/forget/${commandId}`;
  return parts.transactions.run(handler, async (open) => {
    await closeTo(open, problemId);
    const work = new StageWork(open, parts, handler);
    const erased = await eraseProblem(work, problemId, dependents);
    await work.finish();
    await hideRevisions(open, problemId);
    return erased;
  });
}

/** The service obeys the withdrawal first: others of its cluster are represented anew, and trainers lose it. */
async function untilWithdrawn({ parts, consumed }: Forgetting): Promise<void> {
  const { name } = topics.problemsWithdrawn;
  if (!consumed().includes(name)) return;
  const description = await parts.log.admin.describe(name);
  const until = performance.now() + WITHDRAWN_WITHIN_MS;
  for (;;) {
    const stored = await readStoredOffsets(parts.transactions, parts.identity, name);
    const next = new Map(stored?.positions.map((each) => [each.partition, each.next]));
    const isThere = description?.partitions.every(
      ({ logEnd, logStart }, partition) => (next.get(partition) ?? logStart) >= logEnd,
    );
    if (isThere !== false) return;
    if (performance.now() > until || parts.ended.aborted) {
      throw new DependencyFault('consumption', `${name} is not read to where the problem is withdrawn`);
    }
    await sleep(100, parts.ended);
  }
}

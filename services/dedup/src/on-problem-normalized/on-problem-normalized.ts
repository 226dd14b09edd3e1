import { toBinary } from '@bufbuild/protobuf';
import { timestampMs } from '@bufbuild/protobuf/wkt';
import { Controller } from '@nestjs/common';
import { BlobStore, readPayloadText } from '@tidemark/blob-store';
import { decideContamination, type Grams, gramsOf, type Overlap } from '@tidemark/contamination';
import { topics } from '@tidemark/event-log';
import { type ProblemNormalized, ProblemNormalizedSchema } from '@tidemark/proto';
import { type Cause, type EventBatch, OnEvent, type StageEvent, type StageTransaction } from '@tidemark/stage-runtime';
import { Reconciler } from '../clusters/reconciler.ts';
import { findMatches, holdBenchmarks, loadEpoch } from '../postgres/benchmarks.ts';
import { lockClusters } from '../postgres/clusters.ts';
import { type CheckedProblem, loadVersions, saveProblems } from '../postgres/problems.ts';

/** `problems.normalized` → `problems.unique`, or a status that says why not. */
@Controller()
export class OnProblemNormalized {
  constructor(
    private readonly blobs: BlobStore,
    private readonly reconciler: Reconciler,
  ) {}

  @OnEvent(topics.problemsNormalized, { maxBatchRecords: 300 })
  async handle(batch: EventBatch<ProblemNormalized>, tx: StageTransaction): Promise<void> {
    const grams = new Map<string, Grams>();
    for (const { value } of batch) grams.set(value.problemId, await this.gramsOf(value));
    await holdBenchmarks(tx);
    const { events, causes } = await lockAndSort(tx, batch.events);
    if (events.length === 0) return;
    const matches = await findMatches(tx, grams);
    const problems = events.map(({ value }): CheckedProblem => {
      const own = grams.get(value.problemId) ?? new Set();
      const decision = decideContamination(own.size, matches.get(value.problemId) ?? []);
      return toChecked(value, own, decision.kind === 'contaminated' ? decision.by : undefined);
    });
    await saveProblems(tx, problems, await loadEpoch(tx));
    await this.reconciler.reconcile(tx, causes);
  }

  private async gramsOf(problem: ProblemNormalized): Promise<Grams> {
    const statement = problem.content?.statement;
    return gramsOf(statement === undefined ? '' : await readPayloadText(this.blobs, statement));
  }
}

/**
 * Locks the clusters that the problems join and those that they leave.
 *
 * @returns the events that are not of an older version than the known one, and what changes each cluster
 */
async function lockAndSort(
  tx: StageTransaction,
  events: readonly StageEvent<ProblemNormalized>[],
): Promise<{ events: StageEvent<ProblemNormalized>[]; causes: Map<string, Cause> }> {
  const ids = events.map(({ value }) => value.problemId);
  const before = await loadVersions(tx, ids);
  const left = [...before.values()].flatMap(({ identity }) => (identity === undefined ? [] : [identity]));
  await lockClusters(tx, [...events.map(({ value }) => value.identitySha256), ...left]);
  const known = await loadVersions(tx, ids);
  const current = events.filter(({ value }) => value.version >= (known.get(value.problemId)?.version ?? 0));
  const causes = new Map<string, Cause>();
  for (const event of current) {
    const leaves = known.get(event.value.problemId)?.identity;
    if (leaves !== undefined && !causes.has(leaves)) causes.set(leaves, event);
    if (!causes.has(event.value.identitySha256)) causes.set(event.value.identitySha256, event);
  }
  // A problem that moved between the two looks: its new cluster is locked too, out of order, and at worst tried again.
  await lockClusters(tx, causes.keys());
  return { events: current, causes };
}

function toChecked(value: ProblemNormalized, grams: Grams, contamination: Overlap | undefined): CheckedProblem {
  const published = value.origin?.publishedAt;
  return {
    problemId: value.problemId,
    version: value.version,
    identitySha256: value.identitySha256,
    statementSha256: value.statementSha256,
    publishedMs: published === undefined ? undefined : timestampMs(published),
    normalized: toBinary(ProblemNormalizedSchema, value),
    grams,
    contamination,
  };
}

import { toBinary } from '@bufbuild/protobuf';
import { timestampMs } from '@bufbuild/protobuf/wkt';
import { Controller } from '@nestjs/common';
import { BlobStore, readPayloadText } from '@tidemark/blob-store';
import { decideContamination, type Grams, gramsOf, type Overlap } from '@tidemark/contamination';
import { topics } from '@tidemark/event-log';
import { type ProblemNormalized, ProblemNormalizedSchema } from '@tidemark/proto';
import { type EventBatch, OnEvent, type StageEvent, type StageTransaction } from '@tidemark/stage-runtime';
import { Reconciler, type Touched } from '../clusters/reconciler.ts';
import { findMatches, holdBenchmarks, loadBenchmarks } from '../postgres/benchmarks.ts';
import { lockPlaces } from '../postgres/clusters.ts';
import { type CheckedProblem, loadVersions, type Place, saveProblems } from '../postgres/problems.ts';

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
    const { events, touched } = await lockAndSort(tx, batch.events);
    if (events.length === 0) return;
    const matches = await findMatches(tx, grams);
    const problems = events.map(({ value }): CheckedProblem => {
      const own = grams.get(value.problemId) ?? new Set();
      const decision = decideContamination(own.size, matches.get(value.problemId) ?? []);
      return toChecked(value, own, decision.kind === 'contaminated' ? decision.by : undefined);
    });
    await saveProblems(tx, problems, await loadBenchmarks(tx));
    await this.reconciler.reconcile(tx, touched);
  }

  private async gramsOf(problem: ProblemNormalized): Promise<Grams> {
    const statement = problem.content?.statement;
    return gramsOf(statement === undefined ? '' : await readPayloadText(this.blobs, statement));
  }
}

/**
 * Locks the statements and clusters that the problems join and those that they leave.
 *
 * @returns the events that are not of an older version than the known one, and what they touch
 */
async function lockAndSort(
  tx: StageTransaction,
  events: readonly StageEvent<ProblemNormalized>[],
): Promise<{ events: StageEvent<ProblemNormalized>[]; touched: Touched[] }> {
  const ids = events.map(({ value }) => value.problemId);
  const before = await loadVersions(tx, ids);
  const left = [...before.values()].flatMap(({ place }) => (place === undefined ? [] : [place]));
  await lockPlaces(tx, [...events.map(({ value }) => placeOf(value)), ...left]);
  const known = await loadVersions(tx, ids);
  const current = events.filter(({ value }) => value.version >= (known.get(value.problemId)?.version ?? 0));
  const touched: Touched[] = [];
  for (const cause of current) {
    const leaves = known.get(cause.value.problemId)?.place;
    if (leaves !== undefined) touched.push({ ...leaves, cause });
    touched.push({ ...placeOf(cause.value), cause });
  }
  // A problem that moved between the two looks: its new place is locked too, out of order, and at worst tried again.
  await lockPlaces(tx, touched);
  return { events: current, touched };
}

const placeOf = (value: ProblemNormalized): Place => ({
  identity: value.identitySha256,
  statement: value.statementSha256,
});

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

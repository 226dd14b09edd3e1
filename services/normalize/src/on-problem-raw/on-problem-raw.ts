import { Controller } from '@nestjs/common';
import { BlobStore } from '@tidemark/blob-store';
import { topics } from '@tidemark/event-log';
import type { ProblemRaw } from '@tidemark/proto';
import { type EventBatch, InjectConfig, OnEvent, type StageTransaction } from '@tidemark/stage-runtime';
import type { NormalizeConfig } from '../normalize.config.ts';
import { loadProblems, saveProblems } from '../postgres/problems.ts';
import { decideNormalization } from './decide-normalization.ts';
import { decideProgress, type KnownProblem, UNKNOWN } from './decide-progress.ts';
import { normalizeProblem } from './normalize-problem.ts';
import { toStatus, toWithdrawal } from './to-events.ts';

/** `problems.raw` → `problems.normalized`, or a status that says why not. */
@Controller()
export class OnProblemRaw {
  constructor(
    private readonly blobs: BlobStore,
    @InjectConfig() private readonly config: NormalizeConfig,
  ) {}

  @OnEvent(topics.problemsRaw, { maxBatchRecords: 200 })
  async handle(batch: EventBatch<ProblemRaw>, tx: StageTransaction): Promise<void> {
    const known = await loadProblems(
      tx,
      batch.events.map(({ value }) => value.problemId),
    );
    const handled = new Map<string, KnownProblem>();
    for (const event of batch) {
      const { problemId, version } = event.value;
      const before = handled.get(problemId) ?? known.get(problemId) ?? UNKNOWN;
      if (version < before.version) continue;
      const { cleaned, event: normalized } = await normalizeProblem(event.value, this.blobs);
      const decision = decideNormalization(cleaned, this.config);
      const { withdrawal, next } = decideProgress(before, version, decision);
      const nowMs = Date.now();
      if (withdrawal !== undefined) {
        tx.publish(event, topics.problemsWithdrawn, toWithdrawal(normalized, decision, withdrawal, nowMs));
      }
      if (decision.kind === 'passes') tx.publish(event, topics.problemsNormalized, normalized);
      tx.publish(event, topics.problemsStatus, toStatus(normalized, decision, nowMs));
      handled.set(problemId, next);
    }
    await saveProblems(tx, handled);
  }
}

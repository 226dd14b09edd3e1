import { Controller } from '@nestjs/common';
import { BlobStore } from '@tidemark/blob-store';
import { topics } from '@tidemark/event-log';
import type { ProblemRaw } from '@tidemark/proto';
import { type EventBatch, InjectConfig, OnEvent, type StageTransaction } from '@tidemark/stage-runtime';
import type { NormalizeConfig } from '../normalize.config.ts';
import { type KnownProblem, loadProblems, saveProblems } from '../postgres/problems.ts';
import { decideNormalization } from './decide-normalization.ts';
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
      const before = known.get(problemId) ?? { version: 0, passedVersion: 0 };
      if (version < before.version) continue;
      const { cleaned, event: normalized } = await normalizeProblem(event.value, this.blobs);
      const decision = decideNormalization(cleaned, this.config);
      const nowMs = Date.now();
      if (decision.kind === 'passes') tx.publish(event, topics.problemsNormalized, normalized);
      else if (before.passedVersion > 0) {
        tx.publish(event, topics.problemsWithdrawn, toWithdrawal(normalized, decision.reason, nowMs));
      }
      tx.publish(event, topics.problemsStatus, toStatus(normalized, decision, nowMs));
      handled.set(problemId, { version, passedVersion: decision.kind === 'passes' ? version : before.passedVersion });
    }
    await saveProblems(tx, handled);
  }
}

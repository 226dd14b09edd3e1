import { Injectable } from '@nestjs/common';
import { BlobStore } from '@tidemark/blob-store';
import { topics } from '@tidemark/event-log';
import type { ProblemRaw } from '@tidemark/proto';
import { type Caused, InjectConfig, type StageTransaction } from '@tidemark/stage-runtime';
import type { NormalizeConfig } from './normalize.config.ts';
import { decideNormalization } from './on-problem-raw/decide-normalization.ts';
import { decideProgress, type KnownProblem, UNKNOWN } from './on-problem-raw/decide-progress.ts';
import { normalizeProblem } from './on-problem-raw/normalize-problem.ts';
import { toStatus, toWithdrawal } from './on-problem-raw/to-events.ts';
import { loadProblems, saveProblems } from './postgres/problems.ts';

/** Problems as they were taken in → `problems.normalized`, or a status that says why not. */
@Injectable()
export class NormalizeProblems {
  constructor(
    private readonly blobs: BlobStore,
    @InjectConfig() private readonly config: NormalizeConfig,
  ) {}

  async normalize(tx: StageTransaction, problems: readonly Caused<ProblemRaw>[]): Promise<void> {
    if (problems.length === 0) return;
    const known = await loadProblems(
      tx,
      problems.map(({ value }) => value.problemId),
    );
    const handled = new Map<string, KnownProblem>();
    for (const { cause, value } of problems) {
      const { problemId, version } = value;
      const before = handled.get(problemId) ?? known.get(problemId) ?? UNKNOWN;
      if (version < before.version) continue;
      const { cleaned, event: normalized } = await normalizeProblem(value, this.blobs);
      const decision = decideNormalization(cleaned, this.config);
      const { withdrawal, next } = decideProgress(before, version, decision);
      const nowMs = Date.now();
      if (withdrawal !== undefined) {
        tx.publish(cause, topics.problemsWithdrawn, toWithdrawal(normalized, decision, withdrawal, nowMs));
      }
      if (decision.kind === 'passes') tx.publish(cause, topics.problemsNormalized, normalized);
      tx.publish(cause, topics.problemsStatus, toStatus(normalized, decision, nowMs));
      handled.set(problemId, next);
    }
    await saveProblems(tx, handled);
  }
}

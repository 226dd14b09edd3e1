import { Controller } from '@nestjs/common';
import { BlobStore } from '@tidemark/blob-store';
import { topics } from '@tidemark/event-log';
import type { ProblemVerified } from '@tidemark/proto';
import { type EventBatch, InjectConfig, OnEvent, type StageTransaction } from '@tidemark/stage-runtime';
import { forgetScores, type ScoreRow, saveScores, scoredVersions } from '../postgres/scores.ts';
import type { ScoreConfig } from '../score.config.ts';
import { decideScore } from './decide-score.ts';
import { toScored, toStatus } from './to-events.ts';
import { toProblem } from './to-problem.ts';

/** `problems.verified` → `problems.scored`: five dimensions, the features behind them, the weighted score. */
@Controller()
export class OnProblemVerified {
  constructor(
    private readonly blobs: BlobStore,
    @InjectConfig() private readonly config: ScoreConfig,
  ) {}

  @OnEvent(topics.problemsVerified)
  async handle(batch: EventBatch<ProblemVerified>, tx: StageTransaction): Promise<void> {
    const known = await scoredVersions(
      tx,
      batch.events.map(({ value }) => value.problemId),
    );
    const rows: ScoreRow[] = [];
    for (const event of batch) {
      const { problemId, version, suiteHash } = event.value;
      const problem = await toProblem(this.blobs, event.value, this.config.maxReferenceBytes);
      const decision = decideScore(version, known.get(problemId), problem);
      if (decision.kind === 'superseded') continue;
      const { predictor, score } = decision.prediction;
      rows.push({
        problemId,
        version,
        suiteHash,
        score,
        predictor: predictor.name,
        predictorVersion: predictor.version,
      });
      tx.publish(event, topics.problemsScored, toScored(event.value, decision.prediction));
      tx.publish(event, topics.problemsStatus, toStatus(event.value, decision.prediction, event.timestampMs));
    }
    await saveScores(tx, rows);
    for (const removed of batch.removed) tx.publishTombstone(removed, topics.problemsScored, removed.key);
    await forgetScores(
      tx,
      batch.removed.map(({ key }) => key),
    );
  }
}

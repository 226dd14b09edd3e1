import { Injectable } from '@nestjs/common';
import { BlobStore } from '@tidemark/blob-store';
import { topics } from '@tidemark/event-log';
import type { ProblemVerified } from '@tidemark/proto';
import { type Caused, InjectConfig, type StageTransaction } from '@tidemark/stage-runtime';
import { decideScore } from './on-problem-verified/decide-score.ts';
import { toScored, toStatus } from './on-problem-verified/to-events.ts';
import { toProblem } from './on-problem-verified/to-problem.ts';
import { type ScoreRow, saveScores, scoredVersions } from './postgres/scores.ts';
import type { ScoreConfig } from './score.config.ts';

/** Verified problems → `problems.scored`: five dimensions, the features behind them, the weighted score. */
@Injectable()
export class ScoreProblems {
  constructor(
    private readonly blobs: BlobStore,
    @InjectConfig() private readonly config: ScoreConfig,
  ) {}

  async score(tx: StageTransaction, problems: readonly Caused<ProblemVerified>[], nowMs: number): Promise<void> {
    if (problems.length === 0) return;
    const known = await scoredVersions(
      tx,
      problems.map(({ value }) => value.problemId),
    );
    const rows: ScoreRow[] = [];
    for (const { cause, value } of problems) {
      const { problemId, version, suiteHash } = value;
      const problem = await toProblem(this.blobs, value, this.config.maxReferenceBytes);
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
      tx.publish(cause, topics.problemsScored, toScored(value, decision.prediction));
      tx.publish(cause, topics.problemsStatus, toStatus(value, decision.prediction, nowMs));
    }
    await saveScores(tx, rows);
  }
}

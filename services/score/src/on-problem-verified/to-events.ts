import { create } from '@bufbuild/protobuf';
import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import {
  DimensionsSchema,
  type ProblemScored,
  ProblemScoredSchema,
  type ProblemStatus,
  ProblemStatusSchema,
  type ProblemVerified,
  ProducerSchema,
  Stage,
  StageOutcome,
} from '@tidemark/proto';
import { type Dimensions, type Prediction, type Predictor, weightedScore } from '@tidemark/scoring';

/** The prediction as `problems.scored` states it. */
export function toScored(event: ProblemVerified, prediction: Prediction): ProblemScored {
  const { assessments, weights, mean, predictor } = prediction;
  return create(ProblemScoredSchema, {
    problemId: event.problemId,
    version: event.version,
    suiteHash: event.suiteHash,
    assessments: assessments.map((dimensions, index) => ({
      number: index + 1,
      dimensions: toDimensions(dimensions),
      weighted: weightedScore(dimensions, weights),
      assessor: toProducer(predictor),
    })),
    mean: toDimensions(mean),
    score: prediction.score,
    features: { ...prediction.features },
    predictor: toProducer(predictor),
    weights: { ...weights },
  });
}

/** Nothing is rejected here: a prediction can be poor, never wrong. */
export function toStatus(event: ProblemVerified, prediction: Prediction, decidedAtMs: number): ProblemStatus {
  return create(ProblemStatusSchema, {
    problemId: event.problemId,
    version: event.version,
    stage: Stage.SCORE,
    outcome: StageOutcome.PASSED,
    message: `Predicted difficulty ${prediction.score.toFixed(2)} of 5 from features of the text, not measured.`,
    decidedAt: timestampFromMs(decidedAtMs),
  });
}

const toDimensions = ({ pcd, kbr, atc, id, od }: Dimensions) =>
  create(DimensionsSchema, {
    comprehension: pcd,
    knowledge: kbr,
    algorithmic: atc,
    implementation: id,
    optimisation: od,
  });

const toProducer = ({ name, version, kind }: Predictor) =>
  create(ProducerSchema, { name, version, settings: { kind } });

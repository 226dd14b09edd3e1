import { type Dimensions, meanDimensions, publishedWeights, scoreOf } from './dimensions.ts';
import { type Features, featuresOf, type ScorableProblem } from './features.ts';

/**
 * What made a prediction. `kind` is `static`: rules over explicit features, written by hand, fitted to nothing and
 * assessed by no model. A number from it is a first guess that a measurement replaces.
 */
export interface Predictor {
  readonly name: 'static-features';
  readonly kind: 'static';
  /** Raised whenever a rule, a feature or a weight changes; scores of different versions are not to be mixed. */
  readonly version: string;
}

export const staticPredictor: Predictor = { name: 'static-features', kind: 'static', version: '1' };

export interface Prediction {
  readonly predictor: Predictor;
  readonly features: Features;
  /** Whole numbers from 1 to 5. Rules are deterministic, so one assessment says all that three would. */
  readonly assessments: readonly [Dimensions];
  readonly weights: Dimensions;
  readonly mean: Dimensions;
  /** Weighted score S, 1 to 5. */
  readonly score: number;
}

/** Predicts the difficulty of a problem from its features alone; the same problem always gets the same answer. */
export function predict(problem: ScorableProblem): Prediction {
  const features = featuresOf(problem);
  const dimensions = dimensionsOf(features);
  return {
    predictor: staticPredictor,
    features,
    assessments: [dimensions],
    weights: publishedWeights,
    mean: meanDimensions([dimensions]),
    score: scoreOf([dimensions]),
  };
}

/** The rules. Each dimension collects points and is cut to 1 … 5; none falls when a limit grows. */
export function dimensionsOf(features: Features): Dimensions {
  const f = features;
  // A reference without a loop is a formula: then large inputs ask for nothing.
  const formula = f.reference_known === 1 && f.reference_loops === 0 && f.reference_recursive === 0;
  const od = level(
    1 +
      step(f.size_limit_exponent, [4, 5, 6]) +
      step(f.value_limit_exponent, [9]) +
      f.warns_of_slowness +
      // A tight time with large inputs leaves no room for a factor.
      (f.cpu_time_ms > 0 && f.cpu_time_ms <= 1000 && f.size_limit_exponent >= 5 ? 1 : 0),
    formula ? 2 : 5,
  );
  return {
    pcd: level(1 + step(f.statement_words, [30, 70, 140, 260]) + (f.statement_formulas > 8 ? 1 : 0)),
    kbr: level(1 + step(f.topic_words, [1, 3, 6]) + step(f.reference_tools, [1, 3])),
    atc: f.reference_known === 1 ? thinkingWithReference(f, od) : thinkingWithoutReference(f, od),
    id: f.reference_known === 1 ? writingWithReference(f) : writingWithoutReference(f),
    od,
  };
}

function thinkingWithReference(f: Features, od: number): number {
  return level(
    0.7 +
      0.5 * step(f.reference_loop_depth, [1, 2, 3]) +
      0.3 * step(f.reference_branches, [1, 4, 8]) +
      0.4 * step(f.reference_tables, [1, 4]) +
      0.5 * f.reference_recursive +
      0.3 * Math.min(2, f.reference_tools) +
      (f.extremum_words > 0 ? 0.4 : 0) +
      (f.counting_words > 0 ? 0.4 : 0) +
      0.45 * (od - 1),
  );
}

function thinkingWithoutReference(f: Features, od: number): number {
  return level(
    1 +
      0.5 * step(f.statement_words, [40, 120, 250]) +
      0.4 * step(f.topic_words, [1, 3, 6]) +
      (f.extremum_words > 0 ? 0.4 : 0) +
      (f.counting_words > 0 ? 0.5 : 0) +
      0.45 * (od - 1),
  );
}

function writingWithReference(f: Features): number {
  return level(
    1 + step(f.reference_lines, [5, 12, 24, 40]) + (f.reference_branches + f.reference_definitions > 9 ? 0.5 : 0),
  );
}

function writingWithoutReference(f: Features): number {
  return level(1 + 0.7 * step(f.statement_words, [40, 100, 180, 320]) + (f.form_stdin === 1 ? 0.5 : 0));
}

/** How many of the rising thresholds the value reaches. */
const step = (value: number, thresholds: readonly number[]): number =>
  thresholds.filter((threshold) => value >= threshold).length;

const level = (points: number, highest = 5): number => Math.min(highest, Math.max(1, Math.round(points)));

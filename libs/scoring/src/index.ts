/** Predicted difficulty: explicit features of a problem, five dimensions from them, and the weighted score S. */
export * from './dimensions.ts';
export { type Features, type FeatureName, featuresOf, type ScorableProblem } from './features.ts';
export { type NumericLimit, numericLimitsOf } from './numeric-limits.ts';
export { type ProgramShape, programShapeOf } from './program-shape.ts';
export * from './static-predictor.ts';

/**
 * The five dimensions of difficulty (MicroCoder, arXiv:2603.07779), each from 1 (least) to 5 (most). An assessment
 * gives whole numbers; a mean over assessments need not be whole.
 */
export interface Dimensions {
  /** Problem comprehension: how hard it is to understand what is asked. */
  readonly pcd: number;
  /** Knowledge breadth: how much one has to have learned beforehand. */
  readonly kbr: number;
  /** Algorithmic thinking: how hard the idea is to find. */
  readonly atc: number;
  /** Implementation: how much there is to write down without a mistake. */
  readonly id: number;
  /** Optimisation: how far a plain solution is from fast enough. */
  readonly od: number;
}

export const dimensionNames = ['pcd', 'kbr', 'atc', 'id', 'od'] as const satisfies readonly (keyof Dimensions)[];

/** The published weights of the dimensions (arXiv:2603.07779); they sum to 1. */
export const publishedWeights: Dimensions = { pcd: 0.05, kbr: 0.05, atc: 0.45, id: 0.35, od: 0.1 };

/** Weighted sum of the dimensions, 1 to 5, rounded to 10 decimals so that .05 + .05 doesn't show its binary tail. */
export function weightedScore(dimensions: Dimensions, weights: Dimensions = publishedWeights): number {
  return rounded(dimensionNames.reduce((sum, name) => sum + weights[name] * dimensions[name], 0));
}

/**
 * Mean of the dimensions over assessments.
 * @throws RangeError when there are none
 */
export function meanDimensions(assessments: readonly Dimensions[]): Dimensions {
  return {
    pcd: meanOf(assessments.map((assessment) => assessment.pcd)),
    kbr: meanOf(assessments.map((assessment) => assessment.kbr)),
    atc: meanOf(assessments.map((assessment) => assessment.atc)),
    id: meanOf(assessments.map((assessment) => assessment.id)),
    od: meanOf(assessments.map((assessment) => assessment.od)),
  };
}

/**
 * The score S: mean over assessments of the weighted sum, 1 to 5.
 * @throws RangeError when there are none
 */
export function scoreOf(assessments: readonly Dimensions[], weights: Dimensions = publishedWeights): number {
  return meanOf(assessments.map((assessment) => weightedScore(assessment, weights)));
}

function meanOf(values: readonly number[]): number {
  if (values.length === 0) throw new RangeError('a mean needs at least one assessment');
  return rounded(values.reduce((sum, value) => sum + value, 0) / values.length);
}

const rounded = (value: number): number => Math.round(value * 1e10) / 1e10;

/**
 * Probability that a group of `groupSize` attempts has mixed outcomes, under Beta(alpha, beta) for the pass rate p:
 * 1 - E[p^G] - E[(1-p)^G] = 1 - B(a+G, b)/B(a, b) - B(a, b+G)/B(a, b).
 *
 * G is a whole number, so each ratio of Beta functions is the product of (a+i)/(a+b+i) over i < G: exact to rounding,
 * without a log-gamma. A group with mixed outcomes is the only kind that gives a group-relative advantage, hence a
 * gradient.
 *
 * @param alpha above 0
 * @param beta above 0
 * @param groupSize attempts of a group, a whole number of at least 1
 * @returns 0 to 1; 0 for groups of one
 * @throws RangeError for parameters outside those ranges
 */
export function mixedProbability(alpha: number, beta: number, groupSize: number): number {
  if (!(alpha > 0 && Number.isFinite(alpha))) throw new RangeError(`alpha must be above 0, not ${alpha}`);
  if (!(beta > 0 && Number.isFinite(beta))) throw new RangeError(`beta must be above 0, not ${beta}`);
  if (!(Number.isInteger(groupSize) && groupSize >= 1)) {
    throw new RangeError(`a group has a whole number of attempts, at least 1, not ${groupSize}`);
  }
  let allPass = 1;
  let allFail = 1;
  for (let i = 0; i < groupSize; i++) {
    const total = alpha + beta + i;
    allPass *= (alpha + i) / total;
    allFail *= (beta + i) / total;
  }
  return Math.min(1, Math.max(0, 1 - allPass - allFail));
}

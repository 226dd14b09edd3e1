/**
 * The unbiased estimate of pass@k: the chance that at least one of k attempts, drawn without replacement from the n that
 * were made, is among the c that passed.
 *
 * 1 - C(n-c, k) / C(n, k), as the product 1 - prod over i = n-c+1 … n of (1 - k/i), which never forms a factorial.
 * Source: Chen et al. 2021, arXiv:2107.03374, section 2.1 and figure 3.
 *
 * @param n attempts that say something about the model (environment failures are not attempts); an integer >= k
 * @param c attempts that passed; an integer in 0 … n
 * @param k an integer >= 1
 * @throws RangeError when an argument is no integer or out of its range
 */
export function passAtK(n: number, c: number, k: number): number {
  requireInteger('n', n, 0, Number.MAX_SAFE_INTEGER);
  requireInteger('c', c, 0, n);
  requireInteger('k', k, 1, n);
  if (n - c < k) return 1;
  let noneOfThemPassed = 1;
  for (let i = n - c + 1; i <= n; i++) noneOfThemPassed *= 1 - k / i;
  return 1 - noneOfThemPassed;
}

/**
 * pass@k of a set of problems: the plain mean of each problem's estimate.
 *
 * Problems with fewer than k attempts have no estimate; they are left out and counted, never guessed.
 *
 * @returns `mean` is undefined when no problem has k attempts
 */
export function meanPassAtK(
  counts: Iterable<{ readonly attempts: number; readonly passes: number }>,
  k: number,
): { readonly mean: number | undefined; readonly problems: number; readonly leftOut: number } {
  let sum = 0;
  let problems = 0;
  let leftOut = 0;
  for (const { attempts, passes } of counts) {
    if (attempts < k) {
      leftOut++;
      continue;
    }
    sum += passAtK(attempts, passes, k);
    problems++;
  }
  return { mean: problems === 0 ? undefined : sum / problems, problems, leftOut };
}

function requireInteger(name: string, value: number, least: number, most: number): void {
  if (!Number.isInteger(value) || value < least || value > most)
    throw new RangeError(`${name} must be an integer from ${least} to ${most}, got ${value}`);
}

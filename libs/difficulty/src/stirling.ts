/** Where the asymptotic series below has an error under 1e-16. */
const SERIES_FROM = 16;

/**
 * What Stirling's formula leaves out: delta(z) = ln Gamma(z) - (z - 1/2) ln z + z - ln(2 pi) / 2, for z > 0.
 *
 * The asymptotic series (DLMF 5.11.1, Bernoulli numbers B2 … B12) for z >= 16, reached from below by
 * delta(z) = delta(z + 1) + (z + 1/2) ln(1 + 1/z) - 1, which follows from Gamma(z + 1) = z Gamma(z).
 * Ratios of large gammas lose digits when each logarithm is taken whole; differences of this small remainder don't.
 */
export function stirlingRemainder(z: number): number {
  let sum = 0;
  let at = z;
  while (at < SERIES_FROM) {
    sum += (at + 0.5) * Math.log1p(1 / at) - 1;
    at += 1;
  }
  const w = 1 / (at * at);
  const series = 1 / 12 + w * (-1 / 360 + w * (1 / 1260 + w * (-1 / 1680 + w * (1 / 1188 + (w * -691) / 360360))));
  return sum + series / at;
}

/**
 * x ln(x / m) + m - x for x >= 0 and m > 0: the deviance of a count x whose mean is m, without cancellation near x = m.
 * Source: C. Loader, "Fast and accurate computation of binomial probabilities" (2000), function bd0.
 *
 * @param difference x - m, where the caller knows it better than a subtraction would
 */
export function deviance(x: number, m: number, difference = x - m): number {
  if (x === 0) return m;
  if (Math.abs(difference) >= 0.1 * (x + m)) return x * Math.log(x / m) + m - x;
  // ln(x/m) = 2 atanh(v) with v = (x - m) / (x + m); the terms fall by v^2 < 0.01.
  const v = difference / (x + m);
  const vv = v * v;
  let sum = difference * v;
  let power = 2 * x * v;
  for (let j = 1; j < 40; j++) {
    power *= vv;
    const next = sum + power / (2 * j + 1);
    if (next === sum) break;
    sum = next;
  }
  return sum;
}

/** ln B(a, b) = ln Gamma(a) + ln Gamma(b) - ln Gamma(a + b), for a, b > 0. */
export function logBeta(a: number, b: number): number {
  const n = a + b;
  return (
    0.5 * Math.log((2 * Math.PI * n) / (a * b)) +
    // ln(a / n) = ln(1 - b / n), which keeps the digits of a ratio near 1.
    a * (a > b ? Math.log1p(-b / n) : Math.log(a / n)) +
    b * (b > a ? Math.log1p(-a / n) : Math.log(b / n)) +
    stirlingRemainder(a) +
    stirlingRemainder(b) -
    stirlingRemainder(n)
  );
}

/**
 * Density of a Beta distribution at evenly spaced points between 0 and 1, scaled so that the highest is 1: for pictures.
 *
 * @param points how many, from 2; the ends themselves, where the density may be infinite, are left out
 */
export function betaShape(alpha: number, beta: number, points: number): { x: number; density: number }[] {
  const logs = Array.from({ length: points }, (_, index) => {
    const x = (index + 0.5) / points;
    return { x, log: (alpha - 1) * Math.log(x) + (beta - 1) * Math.log1p(-x) };
  });
  const highest = Math.max(...logs.map(({ log }) => log));
  return logs.map(({ x, log }) => ({ x, density: Math.exp(log - highest) }));
}

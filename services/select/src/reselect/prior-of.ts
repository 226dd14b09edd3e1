import { type Beta, FLAT_PRIOR } from '@tidemark/difficulty';
import type { CalibrationPublished } from '@tidemark/proto';

/**
 * The prior of an unmeasured problem's pass rate: Beta(m p(S), m (1 - p(S))) along the calibration's curve, linear
 * between its points and level beyond its ends; the calibration's constant prior where there is no curve or no score;
 * the flat prior where there is no calibration.
 */
export function priorOf(calibration: CalibrationPublished | undefined, score: number | undefined): Beta {
  if (calibration === undefined) return FLAT_PRIOR;
  const { curve, priorStrength } = calibration;
  if (score === undefined || curve.length === 0 || priorStrength <= 0) {
    const { priorAlpha: alpha, priorBeta: beta } = calibration;
    return alpha > 0 && beta > 0 ? { alpha, beta } : FLAT_PRIOR;
  }
  // Neither end of the interval is reached: a prior of exactly 0 or 1 could never be moved by evidence.
  const rate = Math.min(0.999, Math.max(0.001, rateAt(curve, score)));
  return { alpha: priorStrength * rate, beta: priorStrength * (1 - rate) };
}

function rateAt(curve: CalibrationPublished['curve'], score: number): number {
  const after = curve.findIndex((point) => point.score >= score);
  const upper = curve.at(after === -1 ? curve.length - 1 : after);
  const lower = after > 0 ? curve[after - 1] : upper;
  if (upper === undefined || lower === undefined) return 0.5;
  const width = upper.score - lower.score;
  if (width <= 0 || score >= upper.score) return upper.passRate;
  if (score <= lower.score) return lower.passRate;
  return lower.passRate + ((score - lower.score) / width) * (upper.passRate - lower.passRate);
}

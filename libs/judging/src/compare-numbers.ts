import type { Tolerance } from './comparison.ts';

const INTEGER = /^[+-]?\d+$/;
const ZERO = '0'.charCodeAt(0);
/** Without two ways to read one digit: the text is a program's, and may be megabytes long. */
const DECIMAL = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d{1,9})?$/i;

/**
 * Compares two written numbers. Two integers are compared exactly whatever the tolerance, because the distance of
 * neighbours above 2^53 is lost in a double; otherwise |actual - expected| <= max(absolute, relative * |expected|).
 * Only plain decimal notation is a number: no underscores, no hexadecimal, no `nan`, no `inf`.
 */
export function compareNumbers(
  expected: string,
  actual: string,
  tolerance: Tolerance | undefined,
): 'equal' | 'different' | 'not numbers' {
  if (!DECIMAL.test(expected) || !DECIMAL.test(actual)) return 'not numbers';
  if (sameDecimal(expected, actual)) return 'equal';
  if (INTEGER.test(expected) && INTEGER.test(actual)) return 'different';
  // With an integer on one side only, a double still tells neighbours apart below 2^53; above, exactness decided.
  const [e, a] = [Number(expected), Number(actual)];
  if (!Number.isFinite(e) || !Number.isFinite(a)) return 'different';
  if (INTEGER.test(expected) && Math.abs(e) > Number.MAX_SAFE_INTEGER) return 'different';
  if (tolerance === undefined) return e === a ? 'equal' : 'different';
  return Math.abs(a - e) <= Math.max(tolerance.absolute, tolerance.relative * Math.abs(e)) ? 'equal' : 'different';
}

/** Equality of the written values: sign, significant digits and exponent, without going through a double. */
function sameDecimal(a: string, b: string): boolean {
  const [x, y] = [canonical(a), canonical(b)];
  return x.digits === y.digits && (x.digits === '' || (x.negative === y.negative && x.exponent === y.exponent));
}

function canonical(text: string): { negative: boolean; digits: string; exponent: number } {
  const [mantissa = '', power = '0'] = text.toLowerCase().split('e');
  const unsigned = mantissa.replace(/^[+-]/, '');
  const [whole = '', fraction = ''] = unsigned.split('.');
  const all = (whole + fraction).replace(/^0+/, '');
  let end = all.length;
  while (end > 0 && all.charCodeAt(end - 1) === ZERO) end--;
  const digits = all.slice(0, end);
  return {
    negative: mantissa.startsWith('-'),
    digits,
    exponent: Number(power) - fraction.length + (all.length - digits.length),
  };
}

import { compareNumbers } from './compare-numbers.ts';
import type { Compared, Comparison, Tolerance } from './comparison.ts';
import { excerpt } from './excerpt.ts';
import { type JsonValue, parseJson } from './json-value.ts';

const decoder = new TextDecoder('utf-8', { fatal: false });

/**
 * Compares two JSON texts by value. Kinds are strict: the text "True" is no boolean, 1 is no `true`, NaN is no null.
 * 5 and 5.0 are the same number; a tolerance applies where at least one side is written as a real number.
 */
export function compareJson(
  comparison: Extract<Comparison, { kind: 'json' }>,
  expectedBytes: Uint8Array,
  actualBytes: Uint8Array,
): Compared {
  const actual = parseJson(decoder.decode(actualBytes));
  if (actual === undefined) {
    return {
      equal: false,
      got: `"${excerpt(actualBytes, 80)}", which is no JSON value`,
      expected: excerpt(expectedBytes, 120),
    };
  }
  const expected = parseJson(decoder.decode(expectedBytes));
  if (expected === undefined) throw new TypeError('the expected value is not JSON');
  const equal =
    comparison.unordered && expected.kind === 'list' && actual.kind === 'list'
      ? sameMultiset(expected.items, actual.items, comparison.tolerance)
      : sameValue(expected, actual, comparison.tolerance);
  if (equal) return { equal: true };
  return { equal: false, got: excerpt(actualBytes, 120), expected: excerpt(expectedBytes, 120) };
}

function sameValue(expected: JsonValue, actual: JsonValue, tolerance: Tolerance | undefined): boolean {
  switch (expected.kind) {
    case 'null':
      return actual.kind === 'null';
    case 'boolean':
      return actual.kind === 'boolean' && actual.value === expected.value;
    case 'string':
      return actual.kind === 'string' && actual.value === expected.value;
    case 'number':
      return actual.kind === 'number' && sameNumber(expected.text, actual.text, tolerance);
    case 'list':
      return (
        actual.kind === 'list' &&
        actual.items.length === expected.items.length &&
        expected.items.every((item, at) => sameValue(item, actual.items[at] as JsonValue, tolerance))
      );
    case 'object':
      return (
        actual.kind === 'object' &&
        actual.entries.size === expected.entries.size &&
        [...expected.entries].every(([key, item]) => {
          const other = actual.entries.get(key);
          return other !== undefined && sameValue(item, other, tolerance);
        })
      );
  }
}

function sameNumber(expected: string, actual: string, tolerance: Tolerance | undefined): boolean {
  const compared = compareNumbers(expected, actual, tolerance);
  return compared === 'not numbers' ? expected === actual : compared === 'equal';
}

/** Matches each expected item with an unused equal one; quadratic, and exact without a tolerance. */
function sameMultiset(
  expected: readonly JsonValue[],
  actual: readonly JsonValue[],
  tolerance: Tolerance | undefined,
): boolean {
  if (expected.length !== actual.length) return false;
  const rest = [...actual];
  return expected.every((item) => {
    const at = rest.findIndex((other) => sameValue(item, other, tolerance));
    if (at >= 0) rest.splice(at, 1);
    return at >= 0;
  });
}

import { linesOf, sameBytes, tokensOf } from './bytes.ts';
import { compareJson } from './compare-json.ts';
import { compareByDefaultValidator } from './default-validator.ts';
import { compareNumbers } from './compare-numbers.ts';
import { excerpt } from './excerpt.ts';

/** How far a number may be from the expected one: within `absolute`, or within `relative` times the expected size. */
export type Tolerance = {
  /** >= 0 */
  readonly absolute: number;
  /** >= 0 */
  readonly relative: number;
};

/**
 * How an answer is compared with the expected one. A tolerance applies only where it is given: integers stay exact,
 * however long.
 * - `exact`: equal bytes.
 * - `tokens` (default for programs): byte runs between white space; layout does not matter.
 * - `lines`: line by line, leading blanks count, trailing ones do not.
 * - `numbers`: tokens, and those that are numbers within the tolerance.
 * - `unordered`: the tokens as a multiset.
 * - `unordered_lines`: the lines as a multiset.
 * - `default_validator`: as that of the Kattis format.
 * - `json` (default for functions): the value; `unordered` takes the outermost list as a multiset.
 */
export type Comparison =
  | { readonly kind: 'exact' }
  | { readonly kind: 'tokens'; readonly ignoreCase?: boolean }
  | { readonly kind: 'lines'; readonly ignoreCase?: boolean }
  | { readonly kind: 'numbers'; readonly tolerance: Tolerance; readonly ignoreCase?: boolean }
  | { readonly kind: 'unordered'; readonly ignoreCase?: boolean }
  | { readonly kind: 'unordered_lines'; readonly ignoreCase?: boolean }
  | {
      readonly kind: 'default_validator';
      /** Default true. */
      readonly ignoreCase?: boolean;
      readonly spaceSensitive?: boolean;
      /** Within either of the two. Absent: numbers are tokens like any other. */
      readonly tolerance?: Tolerance;
    }
  | { readonly kind: 'json'; readonly tolerance?: Tolerance; readonly unordered?: boolean };

/**
 * The outcome of a comparison. `got` names the place and what the program wrote there, and may be shown to whoever
 * wrote the program; `expected` is for those who may see the tests.
 */
export type Compared =
  | { readonly equal: true }
  | { readonly equal: false; readonly got: string; readonly expected: string };

const EQUAL: Compared = { equal: true };

/** Compares what a program wrote (or a function returned, as JSON text) with what was expected. */
export function compare(comparison: Comparison, expected: Uint8Array, actual: Uint8Array): Compared {
  switch (comparison.kind) {
    case 'exact':
      return sameBytes(expected, actual)
        ? EQUAL
        : differs(`${actual.length} bytes: ${quoted(actual)}`, quoted(expected));
    case 'tokens':
      return inOrder(tokensOf(expected), tokensOf(actual), 'token', bytesEqual(comparison.ignoreCase));
    case 'lines':
      return inOrder(linesOf(expected), linesOf(actual), 'line', bytesEqual(comparison.ignoreCase));
    case 'numbers': {
      const { tolerance, ignoreCase } = comparison;
      const equal = (a: Uint8Array, b: Uint8Array) => {
        const compared = compareNumbers(asciiOf(a), asciiOf(b), tolerance);
        return compared === 'not numbers' ? sameBytes(a, b, ignoreCase) : compared === 'equal';
      };
      return inOrder(tokensOf(expected), tokensOf(actual), 'token', equal);
    }
    case 'unordered':
      return asMultiset(tokensOf(expected), tokensOf(actual), 'token', comparison.ignoreCase);
    case 'unordered_lines':
      return asMultiset(linesOf(expected), linesOf(actual), 'line', comparison.ignoreCase);
    case 'default_validator':
      return compareByDefaultValidator(comparison, expected, actual);
    case 'json':
      return compareJson(comparison, expected, actual);
  }
}

function bytesEqual(ignoreCase?: boolean) {
  return (a: Uint8Array, b: Uint8Array) => sameBytes(a, b, ignoreCase);
}

function inOrder(
  expected: readonly Uint8Array[],
  actual: readonly Uint8Array[],
  unit: string,
  equal: (expected: Uint8Array, actual: Uint8Array) => boolean,
): Compared {
  const shared = Math.min(expected.length, actual.length);
  for (let at = 0; at < shared; at++) {
    const [e, a] = [expected[at] as Uint8Array, actual[at] as Uint8Array];
    if (!equal(e, a)) return differs(`${unit} ${at + 1} is ${quoted(a)}`, quoted(e));
  }
  if (expected.length > shared) {
    return differs(`${unit} ${shared + 1} is missing`, quoted(expected[shared] as Uint8Array));
  }
  if (actual.length > shared) {
    return differs(`${unit} ${shared + 1} is ${quoted(actual[shared] as Uint8Array)}`, 'nothing more');
  }
  return EQUAL;
}

function asMultiset(
  expected: readonly Uint8Array[],
  actual: readonly Uint8Array[],
  unit: string,
  ignoreCase?: boolean,
): Compared {
  if (expected.length !== actual.length) {
    return differs(`${actual.length} ${unit}s`, `${expected.length} ${unit}s in any order`);
  }
  const [e, a] = [
    expected.map((one) => keyOf(one, ignoreCase)).sort(),
    actual.map((one) => keyOf(one, ignoreCase)).sort(),
  ];
  const at = e.findIndex((key, index) => key !== a[index]);
  return at < 0
    ? EQUAL
    : differs(`sorted, ${unit} ${at + 1} is "${excerpt(a[at] as string, 80)}"`, `"${excerpt(e[at] as string, 80)}"`);
}

/** One character a byte, so that equal keys mean equal bytes. */
function keyOf(bytes: Uint8Array, ignoreCase?: boolean): string {
  const key = asciiOf(bytes);
  return ignoreCase ? key.replace(/[A-Z]/g, (letter) => letter.toLowerCase()) : key;
}

function asciiOf(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += 4096) text += String.fromCharCode(...bytes.subarray(at, at + 4096));
  return text;
}

function quoted(bytes: Uint8Array): string {
  return `"${excerpt(bytes, 80)}"`;
}

function differs(got: string, expected: string): Compared {
  return { equal: false, got, expected };
}

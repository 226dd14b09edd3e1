import { tokensOf } from './bytes.ts';
import type { Compared, Comparison, Tolerance } from './comparison.ts';
import { excerpt } from './excerpt.ts';

type Validator = Extract<Comparison, { kind: 'default_validator' }>;

/**
 * The default output validator of the Kattis problem package format (ICPC legacy and 2023-07, "Default Output Validator
 * Specification"): token by token; letters without regard to case unless told; white space as any other unless told; and
 * with a tolerance, tokens of the answer that are numbers may be met within *either* of the two, in any notation.
 *
 * Numbers are those of C's `%Lf`, integers too: here, unlike for `numbers`, a tolerance holds for them as well.
 */
export function compareByDefaultValidator(
  { ignoreCase = true, spaceSensitive = false, tolerance }: Validator,
  expected: Uint8Array,
  actual: Uint8Array,
): Compared {
  const [wanted, got] = [tokensOf(expected), tokensOf(actual)];
  for (let at = 0; at < Math.max(wanted.length, got.length); at++) {
    const [want, is] = [wanted[at], got[at]];
    if (!want) return differs(`token ${at + 1} is ${quoted(is)}`, 'nothing more');
    if (!is) return differs(`token ${at + 1} is missing`, quoted(want));
    if (!sameToken(latin(want), latin(is), ignoreCase, tolerance)) {
      return differs(`token ${at + 1} is ${quoted(is)}`, quoted(want));
    }
  }
  if (!spaceSensitive) return { equal: true };
  const at = firstOtherSpace(expected, actual);
  return at < 0 ? { equal: true } : differs(`white space before token ${at + 1} differs`, 'the same white space');
}

function sameToken(want: string, is: string, ignoreCase: boolean, tolerance: Tolerance | undefined): boolean {
  if (tolerance && isNumber(want)) return isNumber(is) && isWithin(want, is, tolerance);
  return ignoreCase ? lower(want) === lower(is) : want === is;
}

const DECIMAL = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i;
const HEXADECIMAL = /^[+-]?0x(?:[\da-f]+(?:\.[\da-f]*)?|\.[\da-f]+)(?:p[+-]?\d+)?$/i;
const SPECIAL = /^[+-]?(?:inf(?:inity)?|nan(?:\(\w*\))?)$/i;

function isNumber(token: string): boolean {
  return DECIMAL.test(token) || HEXADECIMAL.test(token) || SPECIAL.test(token);
}

/** Beyond so many digits, or such exponents, doubles decide: no answer is meant to be told apart there. */
const MOST_DIGITS = 400;
const LARGEST_EXPONENT = 400;

function isWithin(want: string, is: string, { absolute, relative }: Tolerance): boolean {
  const [exactWant, exactIs] = [exactly(want), exactly(is)];
  const [exactAbsolute, exactRelative] = [exactly(String(absolute)), exactly(String(relative))];
  if (exactWant && exactIs && exactAbsolute && exactRelative) {
    const distance = size(minus(exactIs, exactWant));
    return !isLess(exactAbsolute, distance) || !isLess(times(exactRelative, size(exactWant)), distance);
  }
  const [w, i] = [toNumber(want), toNumber(is)];
  // Not a number is within nothing, and infinite is at no distance from infinite that could be compared.
  return Math.abs(w - i) <= absolute || Math.abs(w - i) <= relative * Math.abs(w);
}

/** digits x 10^exponent */
type Exact = { readonly digits: bigint; readonly exponent: number };

/** A decimal as it is written: the validator reads 64 bits of mantissa, which a double has not. */
function exactly(token: string): Exact | undefined {
  if (!DECIMAL.test(token)) return undefined;
  const [mantissa = '', power = '0'] = token.toLowerCase().split('e');
  const [whole = '', fraction = ''] = mantissa.replace(/^[+-]/, '').split('.');
  const exponent = Number(power);
  if (whole.length + fraction.length > MOST_DIGITS || Math.abs(exponent) > LARGEST_EXPONENT) return undefined;
  const digits = BigInt(whole + fraction);
  return { digits: mantissa.startsWith('-') ? -digits : digits, exponent: exponent - fraction.length };
}

function size({ digits, exponent }: Exact): Exact {
  return { digits: digits < 0n ? -digits : digits, exponent };
}

function minus(a: Exact, b: Exact): Exact {
  const exponent = Math.min(a.exponent, b.exponent);
  return { digits: raised(a, exponent) - raised(b, exponent), exponent };
}

function times(a: Exact, b: Exact): Exact {
  return { digits: a.digits * b.digits, exponent: a.exponent + b.exponent };
}

function isLess(a: Exact, b: Exact): boolean {
  const exponent = Math.min(a.exponent, b.exponent);
  return raised(a, exponent) < raised(b, exponent);
}

function raised({ digits, exponent }: Exact, to: number): bigint {
  return digits * 10n ** BigInt(exponent - to);
}

function toNumber(token: string): number {
  const unsigned = token.toLowerCase().replace(/^[+-]/, '');
  const sign = token.startsWith('-') ? -1 : 1;
  if (unsigned.startsWith('inf')) return sign * Number.POSITIVE_INFINITY;
  if (unsigned.startsWith('nan')) return Number.NaN;
  if (!unsigned.startsWith('0x')) return sign * Number(unsigned);
  const [mantissa = '', power = '0'] = unsigned.slice(2).split('p');
  const [whole = '', fraction = ''] = mantissa.split('.');
  return (
    sign * Number(`0x${whole}${fraction || (whole === '' ? '0' : '')}`) * 2 ** (Number(power) - 4 * fraction.length)
  );
}

/** Index of the token before which the white space is not the same, the end counted as one; -1 where it is everywhere. */
function firstOtherSpace(expected: Uint8Array, actual: Uint8Array): number {
  const [wanted, got] = [spacesOf(expected), spacesOf(actual)];
  return wanted.findIndex((space, at) => space !== got[at]);
}

function spacesOf(bytes: Uint8Array): string[] {
  const spaces: string[] = [];
  let from = 0;
  for (const token of tokensOf(bytes)) {
    const start = token.byteOffset - bytes.byteOffset;
    spaces.push(latin(bytes.subarray(from, start)));
    from = start + token.length;
  }
  spaces.push(latin(bytes.subarray(from)));
  return spaces;
}

function latin(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += 4096) text += String.fromCharCode(...bytes.subarray(at, at + 4096));
  return text;
}

function lower(token: string): string {
  return token.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

function quoted(bytes: Uint8Array | undefined): string {
  return `"${excerpt(bytes ?? new Uint8Array(), 80)}"`;
}

function differs(got: string, expected: string): Compared {
  return { equal: false, got, expected };
}

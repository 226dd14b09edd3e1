/** A bound that the statement sets on a number. */
export interface NumericLimit {
  /** The bound, at least 1. */
  readonly value: number;
  /** True when it bounds how many things there are (n, m, "up to 1000 ships"), false when it bounds a value. */
  readonly size: boolean;
}

const SUPERSCRIPTS = '⁰¹²³⁴⁵⁶⁷⁸⁹';
const NUMBER = String.raw`(?:(\d[\d,_]{0,24}(?:\.\d{1,9})?)\s{0,3}(?:[*·×]|\\cdot|\\times)\s{0,3})?10\s?(?:\^|\*\*)\s?\{?\s?(\d{1,3})\s?\}?`;
const PLAIN = String.raw`(\d{1,3}(?:(?:,|\\,|_)\d{3}){1,8}|\d{1,30})(?:e(\d{1,2}))?`;
/** Every repetition is bounded, so that a hostile text costs no more than its length. */
const NOTATIONS = new RegExp(`(?<![\\d.])(?:${NUMBER}|${PLAIN})(?!\\w|\\.\\d)`, 'g');
/** What stands before a bound: `≤`, `<=`, `\le`, "at most", "up to", "not more than", "between … and". */
const BEFORE =
  /(?:≤|<=?|\\leq?(?:slant)?\b|\bat most|\bup to|\b(?:no|not) more than|\bno longer than|\bfewer than|\bless than|\bmaximum of|\bbetween\b[^.]{1,30}\band|\(1 to|\(0 to|\d\s*(?:to|-|–|\.\.|\.\.\.)\s*)\s*\$?\s*$/i;
/** Names that usually count things. */
const SIZE_NAME = /(?:^|[^A-Za-z])(?:[nmkqtrchwN M]|len(?:gth)?|size|\|\w+\|)\s*\$?\s*(?:,\s*[a-z]\s*)?$/;
/** A noun after the bound: "up to 1000 ships", "at most 100000 letters". */
const COUNTED =
  /^\s*\$?\s*(?:[a-z-]+\s+)?(?:numbers|elements|items|entries|lines|words|letters|characters|rows|columns|\w+s)\b/;

/**
 * The bounds on numbers that a statement names, such as `n ≤ 2·10^5`, `1 <= q <= 100,000`, `$|s| \le 10^{6}$` or
 * "up to 100000 ships". Numbers without a bounding word before them are left out. In order of appearance.
 */
export function numericLimitsOf(statement: string): readonly NumericLimit[] {
  const text = plainPowers(statement);
  const limits: NumericLimit[] = [];
  for (const match of text.matchAll(NOTATIONS)) {
    const before = text.slice(Math.max(0, match.index - 60), match.index);
    const bound = BEFORE.exec(before);
    const value = valueOf(match);
    if (bound === null || !(value >= 1) || !Number.isFinite(value)) continue;
    const name = before.slice(0, bound.index);
    const after = text.slice(match.index + match[0].length, match.index + match[0].length + 40);
    limits.push({ value, size: SIZE_NAME.test(name) || COUNTED.test(after) });
  }
  return limits;
}

function valueOf([, factor, exponent, plain, e]: RegExpMatchArray): number {
  if (exponent !== undefined) return Number((factor ?? '1').replace(/[,_]/g, '')) * 10 ** Number(exponent);
  return Number((plain ?? '').replace(/[^\d]/g, '')) * 10 ** Number(e ?? 0);
}

/** Writes `10⁵` as `10^5`. */
const plainPowers = (text: string): string =>
  text.replace(
    /10([⁰¹²³⁴⁵⁶⁷⁸⁹]+)/g,
    (_, digits: string) => `10^${[...digits].map((d) => SUPERSCRIPTS.indexOf(d)).join('')}`,
  );

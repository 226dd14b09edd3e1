import { sha256Hex } from '@tidemark/identity';

/** Words in a gram. */
export const GRAM_WORDS = 16;
/** A similarity above this is contamination. */
export const DEFAULT_THRESHOLD = 0.22;

/**
 * The distinct grams of a text: 64-bit hashes, as signed integers so that a database column can hold them.
 * With 10^9 grams indexed, a given gram meets a false one with a chance of 5 in 10^11.
 */
export type Grams = ReadonlySet<bigint>;

/** Scripts that put no blanks between words: each character is a word. */
const WORD =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]\p{M}*|(?:(?![\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}])[\p{L}\p{M}\p{N}_])+/gu;

/** The words of a text, in order: folded (NFKC), lower case, punctuation aside. */
export function wordsOf(text: string): string[] {
  return text.normalize('NFKC').toLowerCase().match(WORD) ?? [];
}

/** Distinct word 16-grams; a text of fewer words than that is one gram as a whole, one without words none. */
export function gramsOf(text: string): Grams {
  const words = wordsOf(text);
  const grams = new Set<bigint>();
  if (words.length === 0) return grams;
  for (let start = 0; start === 0 || start + GRAM_WORDS <= words.length; start++) {
    grams.add(hashOf(words.slice(start, start + GRAM_WORDS)));
  }
  return grams;
}

/**
 * Share of the smaller side's distinct grams that the other side holds, 0 to 1; 0 when a side has none. The
 * denominator is Tidemark's choice: a benchmark problem buried in a long statement is found by it.
 */
export function similarity(shared: number, leftGrams: number, rightGrams: number): number {
  const smaller = Math.min(leftGrams, rightGrams);
  return smaller === 0 ? 0 : shared / smaller;
}

/** How many grams two sides share. */
export function sharedGrams(left: Grams, right: Grams): number {
  const [small, large] = left.size <= right.size ? [left, right] : [right, left];
  let shared = 0;
  for (const gram of small) if (large.has(gram)) shared += 1;
  return shared;
}

function hashOf(words: readonly string[]): bigint {
  return BigInt.asIntN(64, BigInt(`0x${sha256Hex(words.join(' ')).slice(0, 16)}`));
}

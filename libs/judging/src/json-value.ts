/**
 * A JSON value whose numbers keep the text they were written with, since `JSON.parse` would change 2^53 + 1.
 * Python's bare `NaN`, `Infinity` and `-Infinity` are read too, as numbers that are no decimals.
 */
export type JsonValue =
  | { readonly kind: 'null' }
  | { readonly kind: 'boolean'; readonly value: boolean }
  | { readonly kind: 'number'; readonly text: string }
  | { readonly kind: 'string'; readonly value: string }
  | { readonly kind: 'list'; readonly items: readonly JsonValue[] }
  | { readonly kind: 'object'; readonly entries: ReadonlyMap<string, JsonValue> };

/** Deeper values are refused: whoever sends one wants to exhaust the reader's stack. */
export const MAX_JSON_DEPTH = 1_000;

const WHITESPACE = /[ \t\n\r]*/y;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const WORD = /null|true|false|NaN|-?Infinity/y;

/** Parses exactly one JSON value. Returns undefined when the text is not one, or is nested too deeply. */
export function parseJson(text: string): JsonValue | undefined {
  const reader = new Reader(text);
  const value = reader.value(0);
  return value !== undefined && reader.atEnd() ? value : undefined;
}

class Reader {
  private at = 0;
  constructor(private readonly text: string) {}

  atEnd(): boolean {
    this.take(WHITESPACE);
    return this.at === this.text.length;
  }

  value(depth: number): JsonValue | undefined {
    if (depth > MAX_JSON_DEPTH) return undefined;
    this.take(WHITESPACE);
    const next = this.text[this.at];
    if (next === '[') return this.list(depth);
    if (next === '{') return this.object(depth);
    if (next === '"') return this.string();
    const word = this.take(WORD);
    if (word !== undefined) return wordValue(word);
    const number = this.take(NUMBER);
    return number === undefined || number === '' ? undefined : { kind: 'number', text: number };
  }

  private list(depth: number): JsonValue | undefined {
    const items: JsonValue[] = [];
    this.at++;
    if (this.takeCharacter(']')) return { kind: 'list', items };
    for (;;) {
      const item = this.value(depth + 1);
      if (item === undefined) return undefined;
      items.push(item);
      if (this.takeCharacter(']')) return { kind: 'list', items };
      if (!this.takeCharacter(',')) return undefined;
    }
  }

  private object(depth: number): JsonValue | undefined {
    const entries = new Map<string, JsonValue>();
    this.at++;
    if (this.takeCharacter('}')) return { kind: 'object', entries };
    for (;;) {
      this.take(WHITESPACE);
      const key = this.string();
      if (key?.kind !== 'string' || !this.takeCharacter(':')) return undefined;
      const item = this.value(depth + 1);
      if (item === undefined) return undefined;
      entries.set(key.value, item);
      if (this.takeCharacter('}')) return { kind: 'object', entries };
      if (!this.takeCharacter(',')) return undefined;
    }
  }

  private string(): JsonValue | undefined {
    if (this.text[this.at] !== '"') return undefined;
    let end = this.at + 1;
    while (end < this.text.length && this.text[end] !== '"') end += this.text[end] === '\\' ? 2 : 1;
    const literal = this.text.slice(this.at, end + 1);
    this.at = end + 1;
    try {
      // A literal has no numbers in it that could lose digits; the platform knows the escapes.
      return { kind: 'string', value: JSON.parse(literal) as string };
    } catch {
      return undefined;
    }
  }

  private takeCharacter(character: string): boolean {
    this.take(WHITESPACE);
    if (this.text[this.at] !== character) return false;
    this.at++;
    return true;
  }

  private take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text)?.[0];
    if (found !== undefined) this.at += found.length;
    return found;
  }
}

function wordValue(word: string): JsonValue {
  if (word === 'null') return { kind: 'null' };
  if (word === 'true' || word === 'false') return { kind: 'boolean', value: word === 'true' };
  return { kind: 'number', text: word };
}

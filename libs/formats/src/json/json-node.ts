/**
 * A JSON value that still knows how it was written. `text` is the exact source of the value: numbers are never turned
 * into JavaScript's, members keep their order.
 */
export type JsonNode =
  | { readonly kind: 'object'; readonly text: string; readonly members: readonly JsonMember[] }
  | { readonly kind: 'array'; readonly text: string; readonly items: readonly JsonNode[] }
  | { readonly kind: 'string'; readonly text: string; readonly value: string }
  | { readonly kind: 'number'; readonly text: string }
  | { readonly kind: 'literal'; readonly text: 'true' | 'false' | 'null' };

/** One member of an object; a key may stand in it twice. */
export interface JsonMember {
  readonly key: string;
  readonly value: JsonNode;
}

/** Thrown by {@link readValidJson} when the nesting is deeper than allowed. */
export class TooDeepError extends Error {
  readonly code = 'TOO_DEEP';
  readonly retriable = false;
}

const NUMBER = /[-+.0-9eE]+/y;
const BLANK = /[ \t\n\r]*/y;

/**
 * Reads text that `JSON.parse` has accepted: with its grammar known to hold, only the structure is left to find.
 *
 * @throws TooDeepError above `maxDepth` levels
 */
export function readValidJson(text: string, maxDepth: number): JsonNode {
  let at = 0;

  function skip(pattern: RegExp): void {
    pattern.lastIndex = at;
    pattern.test(text);
    at = Math.max(at, pattern.lastIndex);
  }

  function blank(): void {
    skip(BLANK);
  }

  function string(): { text: string; value: string } {
    const start = at;
    at += 1;
    while (text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
    at += 1;
    const source = text.slice(start, at);
    return { text: source, value: source.includes('\\') ? (JSON.parse(source) as string) : source.slice(1, -1) };
  }

  function value(depth: number): JsonNode {
    if (depth > maxDepth) throw new TooDeepError(`nested deeper than ${maxDepth}`);
    const start = at;
    switch (text[at]) {
      case '{': {
        const members = list('}', () => {
          const key = string().value;
          blank();
          at += 1; // the colon
          blank();
          return { key, value: value(depth + 1) };
        });
        return { kind: 'object', text: text.slice(start, at), members };
      }
      case '[': {
        const items = list(']', () => value(depth + 1));
        return { kind: 'array', text: text.slice(start, at), items };
      }
      case '"':
        return { kind: 'string', ...string() };
      case 't':
        at += 4;
        return { kind: 'literal', text: 'true' };
      case 'f':
        at += 5;
        return { kind: 'literal', text: 'false' };
      case 'n':
        at += 4;
        return { kind: 'literal', text: 'null' };
      default:
        skip(NUMBER);
        return { kind: 'number', text: text.slice(start, at) };
    }
  }

  function list<T>(end: string, element: () => T): T[] {
    const found: T[] = [];
    at += 1;
    blank();
    while (text[at] !== end) {
      found.push(element());
      blank();
      if (text[at] === ',') at += 1;
      blank();
    }
    at += 1;
    return found;
  }

  blank();
  return value(1);
}

import { type Fault, pathText } from '../faults.ts';
import { limits, utf8Length } from '../limits.ts';
import { type JsonNode, readValidJson, TooDeepError } from './json-node.ts';

/** A record's JSON, or what is wrong with it. */
export type ReadRecord =
  | { readonly kind: 'read'; readonly root: JsonNode & { kind: 'object' } }
  | { readonly kind: 'faulty'; readonly faults: readonly Fault[] };

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Decodes and reads one record strictly.
 *
 * @param badCharacters whether NUL and lone surrogates inside strings are faults; model outputs are repaired later
 */
export function readRecord(bytes: Uint8Array, badCharacters: (path: string) => 'refuse' | 'allow'): ReadRecord {
  if (bytes.length > limits.recordBytes) return faulty(tooLarge(bytes.length));
  let text: string;
  try {
    text = utf8.decode(bytes);
  } catch {
    return faulty({
      code: 'invalid_utf8',
      field: '',
      reason: `holds bytes that are not UTF-8 (first at byte ${firstInvalidByte(bytes)})`,
      advice: 'Save the file as UTF-8',
    });
  }
  return readRecordText(text, badCharacters);
}

/** {@link readRecord} for text that is already decoded. */
export function readRecordText(source: string, badCharacters: (path: string) => 'refuse' | 'allow'): ReadRecord {
  const text = source.startsWith('\uFEFF') ? source.slice(1) : source;
  const bytes = utf8Length(text);
  if (bytes > limits.recordBytes) return faulty(tooLarge(bytes));
  try {
    JSON.parse(text);
  } catch (error) {
    return faulty({
      code: 'invalid_json',
      field: '',
      reason: `is not JSON${placeOf(error)}`,
      advice: 'Write one JSON object on one line',
    });
  }
  let root: JsonNode;
  try {
    root = readValidJson(text, limits.jsonDepth);
  } catch (error) {
    if (!(error instanceof TooDeepError)) throw error;
    return faulty({
      code: 'too_deep',
      field: '',
      reason: `is nested deeper than ${limits.jsonDepth}`,
      advice: 'Flatten the record',
    });
  }
  if (root.kind !== 'object') {
    return faulty({
      code: 'invalid_json',
      field: '',
      reason: `is a JSON ${root.kind}, not an object`,
      advice: 'Write one JSON object on one line',
    });
  }
  const faults = structureFaults(root, badCharacters);
  return faults.length > 0 ? { kind: 'faulty', faults } : { kind: 'read', root };
}

/** Where the engine stopped. Its message also quotes the text around, which may be a hidden test. */
function placeOf(error: unknown): string {
  const position = error instanceof Error ? /position (\d+)/.exec(error.message)?.[1] : undefined;
  return position === undefined ? '' : ` at character ${Number(position) + 1}`;
}

function structureFaults(root: JsonNode, badCharacters: (path: string) => 'refuse' | 'allow'): Fault[] {
  const faults: Fault[] = [];
  const visit = (node: JsonNode, path: readonly PropertyKey[]): void => {
    if (faults.length >= limits.faults) return;
    if (node.kind === 'string') checkText(node.value, path);
    if (node.kind === 'array') {
      node.items.forEach((item, i) => {
        visit(item, [...path, i]);
      });
    }
    if (node.kind !== 'object') return;
    const seen = new Set<string>();
    for (const { key, value } of node.members) {
      const here = [...path, key];
      checkText(key, path);
      if (seen.has(key)) {
        faults.push({
          code: 'duplicate_key',
          field: pathText(here),
          reason: 'stands twice in one object',
          advice: 'Keep one of the two: JSON does not say which would count',
        });
      }
      seen.add(key);
      visit(value, here);
    }
  };
  const checkText = (text: string, path: readonly PropertyKey[]): void => {
    const nul = text.includes('\0');
    if ((!nul && text.isWellFormed()) || badCharacters(pathText(path)) === 'allow') return;
    faults.push({
      code: 'bad_character',
      field: pathText(path),
      reason: nul ? 'holds a NUL character' : 'holds half of a surrogate pair',
      advice: 'Remove it at the source; no database or program text can hold it',
    });
  };
  visit(root, []);
  return faults;
}

/** Index of the first byte that starts no valid sequence, by the longest prefix that decodes. */
function firstInvalidByte(bytes: Uint8Array): number {
  let good = 0;
  let bad = bytes.length;
  const decodes = (end: number): boolean => {
    try {
      new TextDecoder('utf-8', { fatal: true }).decode(bytes.subarray(0, end), { stream: true });
      return true;
    } catch {
      return false;
    }
  };
  while (bad - good > 1) {
    const middle = (good + bad) >> 1;
    if (decodes(middle)) good = middle;
    else bad = middle;
  }
  return good;
}

function tooLarge(bytes: number): Fault {
  return {
    code: 'too_large',
    field: '',
    reason: `has ${bytes} bytes, more than ${limits.recordBytes}`,
    advice: 'Split the record or drop tests',
  };
}

function faulty(fault: Fault): ReadRecord {
  return { kind: 'faulty', faults: [fault] };
}

import type { Line } from '../intake/split-lines.ts';

/** Why a record was not taken. Codes are those of docs/formats.md. */
export interface Refusal {
  readonly line: number;
  /** Field at fault; empty for the record as a whole. */
  readonly field: string;
  readonly code: string;
  readonly reason: string;
  readonly todo: string;
}

export type CheckedLine =
  | { readonly kind: 'taken'; readonly line: number; readonly bytes: Uint8Array; readonly value: JsonObject }
  | { readonly kind: 'refused'; readonly refusal: Refusal };

export type JsonObject = Readonly<Record<string, unknown>>;

/**
 * What can be said of a line without knowing its format: the size, UTF-8, and that it is one JSON object.
 */
export function checkLine(line: Line, limitBytes: number): CheckedLine {
  const refuse = (code: string, reason: string, todo: string): CheckedLine => ({
    kind: 'refused',
    refusal: { line: line.number, field: '', code, reason, todo },
  });
  if (line.kind === 'too_large') {
    return refuse(
      'too_large',
      `the record has ${line.sizeBytes} bytes, the limit is ${limitBytes}`,
      'Make the record smaller; large tests can be split over several problems.',
    );
  }
  const text = decode(line.bytes);
  if (text === undefined) return refuse('invalid_utf8', 'the line is not UTF-8', 'Convert the file to UTF-8.');
  const value = parse(text);
  if (value instanceof SyntaxError) {
    return refuse('invalid_json', value.message, 'Correct the line; one JSON object a line is expected.');
  }
  if (!isObject(value)) {
    const found = Array.isArray(value) ? 'a list' : value === null ? 'null' : `a ${typeof value}`;
    return refuse('invalid_json', `the line holds ${found}, not an object`, 'Write one JSON object a line.');
  }
  return { kind: 'taken', line: line.number, bytes: line.bytes, value };
}

function decode(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    // The engine's message quotes the text around the fault, which may be a hidden test.
    const at = error instanceof Error ? /position (\d+)/.exec(error.message)?.[1] : undefined;
    return new SyntaxError(at === undefined ? 'the line is not JSON' : `the line is not JSON at character ${at}`);
  }
}

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** What can be wrong with a record; `docs/formats.md` explains each. */
export type FaultCode =
  | 'invalid_utf8'
  | 'invalid_json'
  | 'duplicate_key'
  | 'too_deep'
  | 'too_large'
  | 'bad_character'
  | 'unknown_format'
  | 'missing_field'
  | 'wrong_type'
  | 'bad_value'
  | 'contradiction'
  | 'unsupported';

/** One fault of one record. */
export interface Fault {
  readonly code: FaultCode;
  /** Path within the record, such as `tests.cases[3].expected`; empty for the record as a whole. */
  readonly field: string;
  /** What is wrong, as a sentence without its subject: `is missing`. */
  readonly reason: string;
  /** What to do about it. */
  readonly advice: string;
}

/** Something that was dropped or repaired; the record goes in all the same. */
export interface Warning {
  readonly code: 'unknown_field' | 'repaired_character' | 'unread_file';
  /** Path within the record; with `[]` for any index where the reason counts several places. */
  readonly field: string;
  /** What was done and, where it was done in several places, how often. */
  readonly reason: string;
}

/** Where a record stands. */
export interface Place {
  /** Name of the file as the submitter gave it; empty when there was none. */
  readonly file: string;
  /** From 1. */
  readonly line: number;
}

/** `problems.jsonl:12: tests.form: is missing. Add …` */
export function describeFault(place: Place, fault: Fault): string {
  const where = `${place.file || '(record)'}:${place.line}`;
  const what = fault.field ? `${fault.field}: ` : '';
  return `${where}: ${what}${fault.reason}. ${fault.advice}`;
}

/** Longest path that is written out, in characters: a key may be as long as the record. */
const PATH_CHARACTERS = 300;

/** Writes a path in the form that {@link Fault.field} has; what is longer than 300 characters ends in `…`. */
export function pathText(path: readonly PropertyKey[]): string {
  let text = '';
  for (const step of path) {
    if (typeof step === 'number') text += `[${step}]`;
    else text += text ? `.${String(step)}` : String(step);
  }
  return text.length > PATH_CHARACTERS ? `${text.slice(0, PATH_CHARACTERS).toWellFormed()}…` : text;
}

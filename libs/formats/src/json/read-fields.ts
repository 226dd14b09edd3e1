import type { z } from 'zod';
import { type Fault, type FaultCode, pathText, type Warning } from '../faults.ts';
import { groupWarnings, type Noticed } from '../group-warnings.ts';
import { limits } from '../limits.ts';
import { JsonNumber, type Plain, RawJson } from './plain.ts';

/** What a schema made of a record. */
export type ReadFields<T> =
  | { readonly kind: 'read'; readonly value: T; readonly warnings: readonly Warning[] }
  | { readonly kind: 'faulty'; readonly faults: readonly Fault[] };

/**
 * Runs a schema of strict objects over a record. Unknown fields are dropped with a warning, one for each kind of place;
 * everything else that is wrong is reported at once.
 *
 * @param holds what a field holds, by path with `[]` for any index, for the advice
 */
export function readFields<T>(
  schema: z.ZodType<T>,
  record: Plain,
  holds: Readonly<Record<string, string>>,
): ReadFields<T> {
  const dropped: Noticed[] = [];
  let result = schema.safeParse(record, { reportInput: true });
  if (!result.success && dropUnknown(record, result.error.issues, dropped)) {
    result = schema.safeParse(record, { reportInput: true });
  }
  if (result.success) return { kind: 'read', value: result.data, warnings: groupWarnings(dropped) };
  const faults = result.error.issues
    .filter((issue) => issue.code !== 'unrecognized_keys')
    .slice(0, limits.faults)
    .map((issue) => toFault(issue, holds));
  return { kind: 'faulty', faults };
}

function dropUnknown(record: Plain, issues: readonly z.core.$ZodIssue[], dropped: Noticed[]): boolean {
  for (const issue of issues) {
    if (issue.code !== 'unrecognized_keys') continue;
    let at: Plain | undefined = record;
    for (const step of issue.path) at = (at as Record<PropertyKey, Plain>)[step];
    for (const key of issue.keys) {
      delete (at as Record<string, Plain>)[key];
      dropped.push({ code: 'unknown_field', path: [...issue.path, key], reason: 'is not known and was dropped' });
    }
  }
  return dropped.length > 0;
}

function toFault(issue: z.core.$ZodIssue, holds: Readonly<Record<string, string>>): Fault {
  const field = pathText(issue.path);
  const held = holds[field.replace(/\[\d+\]/g, '[]')];
  const code = codeOf(issue);
  return { code, field, reason: reasonOf(issue, code), advice: adviceOf(code, field, held) };
}

function codeOf(issue: z.core.$ZodIssue): FaultCode {
  if (inputOf(issue) === undefined && isTypeIssue(issue)) return 'missing_field';
  if (issue.code === 'custom') {
    const given = (issue.params as { code?: FaultCode } | undefined)?.code;
    if (given) return given;
  }
  if (issue.code === 'too_big') return 'too_large';
  return isTypeIssue(issue) ? 'wrong_type' : 'bad_value';
}

/** An absent choice comes as an issue of another code than an absent text. */
function isTypeIssue(issue: z.core.$ZodIssue): boolean {
  if (issue.code === 'invalid_type') return true;
  return inputOf(issue) === undefined && (issue.code === 'invalid_union' || issue.code === 'invalid_value');
}

/** What stood at the issue's path; of a choice between objects, the field that decides it. */
function inputOf(issue: z.core.$ZodIssue): unknown {
  if (issue.code !== 'invalid_union' || issue.discriminator === undefined) return issue.input;
  return (issue.input as Record<string, unknown> | undefined)?.[issue.discriminator];
}

function reasonOf(issue: z.core.$ZodIssue, code: FaultCode): string {
  if (code === 'missing_field') return 'is missing';
  if (code === 'wrong_type' && issue.code === 'invalid_type' && !issue.message.startsWith('has to')) {
    return `has to be ${wordOf(issue.expected)}, not ${typeOf(issue.input)}`;
  }
  if (issue.code === 'invalid_value') return `has to be one of ${issue.values.map(String).join(', ')}`;
  if (issue.code === 'too_big') return `has more than ${entries(issue.maximum)}`;
  if (issue.code === 'too_small') return `has to have at least ${entries(issue.minimum)}`;
  if (issue.code === 'invalid_union' && issue.discriminator !== undefined) return 'is none of those that exist';
  if (issue.code === 'invalid_key') return 'has a name that is not allowed here';
  return issue.message;
}

const entries = (amount: number | bigint): string => `${amount} ${Number(amount) === 1 ? 'entry' : 'entries'}`;

function adviceOf(code: FaultCode, field: string, held: string | undefined): string {
  if (code === 'missing_field') return held ? `Add it: ${held}` : 'Add it; docs/formats.md says what it holds';
  if (code === 'too_large') return 'Shorten it, or split the record';
  return held ? `${field || 'The record'} holds ${held}` : 'See docs/formats.md for what it may hold';
}

function wordOf(type: string): string {
  if (type === 'string') return 'text';
  if (type === 'array') return 'a list';
  if (type === 'boolean') return 'true or false';
  if (type === 'number' || type === 'int') return 'a number';
  return 'an object';
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (value instanceof JsonNumber) return 'a number';
  if (value instanceof RawJson) return `a JSON ${value.node.kind}`;
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'string') return 'text';
  if (typeof value === 'boolean') return 'true or false';
  return 'an object';
}

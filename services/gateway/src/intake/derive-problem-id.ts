import { type ProblemId, problemIdOf, problemIdOfContent } from '@tidemark/identity';
import type { JsonObject } from './check-line.ts';

/** What the submitter says of a whole upload. Empty text means: not said. */
export interface UploadNames {
  readonly format: string;
  readonly namespace: string;
}

/** Namespaces of published sets, where neither record nor submitter names one (docs/formats.md). */
const PUBLISHED: Readonly<Record<string, string>> = { humaneval: 'humaneval', mbpp: 'mbpp' };

/**
 * The id that ingest will give the problem of a record, good or faulty; undefined where it can't be told without reading
 * the record as ingest does. The answer names it, so that a producer can ask for it before ingest has come to it.
 *
 * @param bytes the record as it was sent: its identity where it has no id of its own
 */
export function deriveProblemId(record: JsonObject, bytes: Uint8Array, upload: UploadNames): ProblemId | undefined {
  const format = textOf(record.format) ?? (upload.format || recognise(record));
  const namespace = textOf(record.namespace) ?? (upload.namespace || PUBLISHED[format] || '');
  const id = recordId(record.id) ?? recordId(record.task_id);
  if (id === 'inexact') return undefined;
  return namespace === '' || id === undefined ? problemIdOfContent(bytes) : problemIdOf(namespace, id.text);
}

/** A published format seen from its fields, as docs/formats.md has it. */
function recognise(record: JsonObject): string {
  const has = (...names: readonly string[]) => names.every((name) => record[name] !== undefined);
  if (has('task_id', 'prompt', 'entry_point', 'canonical_solution', 'test')) return 'humaneval';
  return has('task_id', 'text', 'code', 'test_list') ? 'mbpp' : '';
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/** Text, or an integer; `inexact` where a number of this host may have lost digits that ingest keeps. */
function recordId(value: unknown): { text: string } | 'inexact' | undefined {
  if (typeof value === 'string') return { text: value };
  if (typeof value !== 'number') return undefined;
  return Number.isSafeInteger(value) ? { text: String(value) } : 'inexact';
}

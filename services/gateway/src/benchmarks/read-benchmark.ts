import { create } from '@bufbuild/protobuf';
import { type BenchmarkSet, BenchmarkSetSchema } from '@tidemark/proto';
import type { CheckedLine, Refusal } from './check-line.ts';

export type ReadBenchmark =
  | { readonly kind: 'read'; readonly set: BenchmarkSet }
  /** Half a benchmark would let the other half through: a set goes in whole or not at all. */
  | { readonly kind: 'faulty'; readonly faults: readonly Refusal[] };

/**
 * Reads the problems of a benchmark: one JSON object a line with `statement` (or `prompt`, `text`, as HumanEval and MBPP
 * have it) and `id` (or `task_id`). Sorted by id, so that the order of the file plays no part.
 */
export function readBenchmark(lines: readonly CheckedLine[]): ReadBenchmark {
  const faults: Refusal[] = [];
  const problems = new Map<string, string>();
  for (const line of lines) {
    if (line.kind === 'refused') {
      faults.push(line.refusal);
      continue;
    }
    const { value } = line;
    const statement = firstText(value.statement, value.prompt, value.text);
    const id = idOf(value.id) ?? idOf(value.task_id) ?? `line-${line.line}`;
    const refuse = (field: string, code: string, reason: string, todo: string) =>
      faults.push({ line: line.line, field, code, reason, todo });
    if (statement === undefined) {
      refuse('statement', 'missing_field', 'holds no statement', 'Name the statement "statement", "prompt" or "text".');
    } else if (problems.has(id)) {
      refuse('id', 'bad_value', `${JSON.stringify(id)} stands in the file twice`, 'Give every problem its own id.');
    } else {
      problems.set(id, statement);
    }
  }
  if (faults.length > 0) return { kind: 'faulty', faults };
  const sorted = [...problems].sort(([left], [right]) => (left < right ? -1 : 1));
  return {
    kind: 'read',
    set: create(BenchmarkSetSchema, { problems: sorted.map(([id, statement]) => ({ id, statement })) }),
  };
}

const firstText = (...values: readonly unknown[]): string | undefined =>
  values.find((value): value is string => typeof value === 'string' && value.trim() !== '');

function idOf(value: unknown): string | undefined {
  if (typeof value === 'string' && value !== '') return value.slice(0, 500);
  return typeof value === 'number' ? String(value) : undefined;
}

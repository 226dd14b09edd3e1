import type { ProblemId } from '@tidemark/identity';
import type { Fault, Warning } from '../faults.ts';
import { toPlain } from '../json/plain.ts';
import { limits } from '../limits.ts';
import { identifyProblem, type ProblemIdentity } from './identify-problem.ts';
import type { ProblemDefaults } from './problem-format.ts';
import type { ProblemRecord } from './problem-record.ts';

/** What a record turned out to be. */
export type ParsedProblem =
  | {
      readonly kind: 'problem';
      readonly problemId: ProblemId;
      readonly record: ProblemRecord;
      readonly warnings: readonly Warning[];
    }
  /** The first faults, at most `limits.faults` of them. */
  | ({ readonly kind: 'faulty'; readonly faults: readonly Fault[] } & ProblemIdentity);

/**
 * Reads one problem record.
 *
 * @param source the record's bytes (or text that is already decoded)
 * @param format name of the format; empty to take the record's word for it, or to recognise it by its fields
 */
export function parseProblem(source: Uint8Array | string, format = '', defaults: ProblemDefaults = {}): ParsedProblem {
  const found = identifyProblem(source, format, defaults);
  if (found.kind === 'faulty') return { kind: 'faulty', ...found.identity, faults: found.faults };
  const members = found.root.members.filter((member) => member.key !== 'format');
  const parsed = found.format.read(toPlain({ ...found.root, members }, found.format.rawAt), defaults);
  if (parsed.kind === 'faulty') {
    return { kind: 'faulty', ...found.identity, faults: parsed.faults.slice(0, limits.faults) };
  }
  return {
    kind: 'problem',
    problemId: found.identity.problemId,
    record: parsed.value,
    warnings: parsed.warnings,
  };
}

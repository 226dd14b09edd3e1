import { type ProblemId, problemIdOf, problemIdOfContent } from '@tidemark/identity';
import type { Fault, Warning } from '../faults.ts';
import type { JsonNode } from '../json/json-node.ts';
import { toPlain } from '../json/plain.ts';
import { type ReadRecord, readRecord, readRecordText } from '../json/read-record.ts';
import { limits } from '../limits.ts';
import { humanEval } from './humaneval.ts';
import { mbpp } from './mbpp.ts';
import type { ProblemDefaults, ProblemFormat } from './problem-format.ts';
import type { ProblemRecord } from './problem-record.ts';
import { tidemarkProblem } from './tidemark-problem.ts';

/** Every format of problems, in the order in which they are tried. */
export const problemFormats: readonly ProblemFormat[] = [tidemarkProblem, humanEval, mbpp];

/** What a record turned out to be. */
export type ParsedProblem =
  | {
      readonly kind: 'problem';
      readonly problemId: ProblemId;
      readonly record: ProblemRecord;
      readonly warnings: readonly Warning[];
    }
  | {
      readonly kind: 'faulty';
      /** By namespace and record id as far as they could be read, else by the bytes: a faulty record has a state too. */
      readonly problemId: ProblemId;
      /** Empty where they could not be read. */
      readonly namespace: string;
      readonly recordId: string;
      readonly faults: readonly Fault[];
    };

/**
 * Reads one problem record.
 *
 * @param source the record's bytes (or text that is already decoded)
 * @param format name of the format; empty to take the record's word for it, or to recognise it by its fields
 */
export function parseProblem(source: Uint8Array | string, format = '', defaults: ProblemDefaults = {}): ParsedProblem {
  const read = readSource(source);
  if (read.kind === 'faulty') return faulty(source, { namespace: '', recordId: '' }, read.faults);
  const named = textMember(read.root, 'format');
  const chosen = chooseFormat(named ?? format, new Set(read.root.members.map((member) => member.key)));
  const identity = {
    namespace:
      textMember(read.root, 'namespace') ??
      defaults.namespace ??
      (chosen.kind === 'format' ? (chosen.format.namespace ?? '') : ''),
    recordId: idMember(read.root, 'id') ?? idMember(read.root, 'task_id') ?? '',
  };
  if (chosen.kind === 'fault') return faulty(source, identity, [chosen.fault]);
  const members = read.root.members.filter((member) => member.key !== 'format');
  const parsed = chosen.format.read(toPlain({ ...read.root, members }, chosen.format.rawAt), defaults);
  if (parsed.kind === 'faulty') return faulty(source, identity, parsed.faults);
  return {
    kind: 'problem',
    problemId: idOf(source, parsed.value.namespace, parsed.value.recordId),
    record: parsed.value,
    warnings: parsed.warnings,
  };
}

function readSource(source: Uint8Array | string): ReadRecord {
  const refuse = () => 'refuse' as const;
  return typeof source === 'string' ? readRecordText(source, refuse) : readRecord(source, refuse);
}

function chooseFormat(
  named: string,
  fields: ReadonlySet<string>,
): { kind: 'format'; format: ProblemFormat } | { kind: 'fault'; fault: Fault } {
  const wanted = named === 'tidemark' ? 'tidemark.problem.v1' : named;
  const found = problemFormats.find((format) => (wanted === '' ? format.recognises(fields) : format.name === wanted));
  if (found) return { kind: 'format', format: found };
  const known = problemFormats.map((format) => format.name).join(', ');
  return {
    kind: 'fault',
    fault: {
      code: 'unknown_format',
      field: 'format',
      reason:
        wanted === ''
          ? 'is not named, and the fields are those of no known format'
          : `is ${JSON.stringify(wanted.slice(0, 100))}, which is not known`,
      advice: `Name one of ${known}`,
    },
  };
}

function faulty(
  source: Uint8Array | string,
  identity: { namespace: string; recordId: string },
  faults: readonly Fault[],
): ParsedProblem {
  return {
    kind: 'faulty',
    problemId: idOf(source, identity.namespace, identity.recordId || undefined),
    ...identity,
    faults: faults.slice(0, limits.faults),
  };
}

function idOf(source: Uint8Array | string, namespace: string, recordId: string | undefined): ProblemId {
  return namespace === '' || recordId === undefined ? problemIdOfContent(source) : problemIdOf(namespace, recordId);
}

function textMember(root: JsonNode & { kind: 'object' }, key: string): string | undefined {
  const value = root.members.find((member) => member.key === key)?.value;
  return value?.kind === 'string' ? value.value : undefined;
}

function idMember(root: JsonNode & { kind: 'object' }, key: string): string | undefined {
  const value = root.members.find((member) => member.key === key)?.value;
  if (value?.kind === 'string') return value.value;
  return value?.kind === 'number' && /^-?\d+$/.test(value.text) ? value.text : undefined;
}

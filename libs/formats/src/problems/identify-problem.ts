import { type ProblemId, problemIdOf, problemIdOfContent } from '@tidemark/identity';
import type { Fault } from '../faults.ts';
import type { JsonNode } from '../json/json-node.ts';
import { type ReadRecord, readRecord, readRecordText } from '../json/read-record.ts';
import { humanEval } from './humaneval.ts';
import { mbpp } from './mbpp.ts';
import { nemoGym } from './nemo-gym.ts';
import type { ProblemDefaults, ProblemFormat } from './problem-format.ts';
import { codeContests, liveCodeBench } from './sandbox-rows.ts';
import { tidemarkProblem } from './tidemark-problem.ts';

/** Every format of problems, in the order in which they are tried. */
export const problemFormats: readonly ProblemFormat[] = [
  tidemarkProblem,
  humanEval,
  mbpp,
  liveCodeBench,
  codeContests,
  nemoGym,
];

/** Which problem a record is, good or faulty: a faulty record has a state too, and is the same one when it is mended. */
export interface ProblemIdentity {
  /** By namespace and record id where both are there, else by the content. */
  readonly problemId: ProblemId;
  /** Empty where it can't be told. */
  readonly namespace: string;
  /** Empty where it can't be told. */
  readonly recordId: string;
}

type Root = JsonNode & { kind: 'object' };

/** A record whose format is known, or what keeps it from being read. */
export type IdentifiedRecord =
  | { readonly kind: 'known'; readonly identity: ProblemIdentity; readonly root: Root; readonly format: ProblemFormat }
  | { readonly kind: 'faulty'; readonly identity: ProblemIdentity; readonly faults: readonly Fault[] };

/**
 * Tells a record's format and identity, without reading the rest of it.
 *
 * @param source the record's bytes (or text that is already decoded)
 * @param format name of the format; empty to take the record's word for it, or to recognise it by its fields
 */
export function identifyProblem(
  source: Uint8Array | string,
  format = '',
  defaults: ProblemDefaults = {},
): IdentifiedRecord {
  const read = readSource(source);
  if (read.kind === 'faulty') {
    return { kind: 'faulty', identity: identityOf(source, '', undefined), faults: read.faults };
  }
  const { root } = read;
  const chosen = chooseFormat(textMember(root, 'format') ?? format, new Set(root.members.map((member) => member.key)));
  if (chosen.kind === 'fault') {
    const namespace = textMember(root, 'namespace') ?? defaults.namespace ?? '';
    const id = idMember(root, 'id') ?? idMember(root, 'task_id');
    return { kind: 'faulty', identity: identityOf(source, namespace, id), faults: [chosen.fault] };
  }
  const { namespace, namespaceField, idField } = chosen.format;
  const own = namespaceField === undefined ? undefined : textMember(root, namespaceField);
  const identity = identityOf(source, own ?? defaults.namespace ?? namespace ?? '', idMember(root, idField));
  return { kind: 'known', identity, root, format: chosen.format };
}

function identityOf(source: Uint8Array | string, namespace: string, recordId: string | undefined): ProblemIdentity {
  const named = namespace !== '' && recordId !== undefined && recordId !== '';
  return {
    problemId: named ? problemIdOf(namespace, recordId) : problemIdOfContent(source),
    namespace,
    recordId: recordId ?? '',
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

function textMember(root: Root, key: string): string | undefined {
  const value = root.members.find((member) => member.key === key)?.value;
  return value?.kind === 'string' ? value.value : undefined;
}

function idMember(root: Root, key: string): string | undefined {
  const value = root.members.find((member) => member.key === key)?.value;
  if (value?.kind === 'string') return value.value;
  return value?.kind === 'number' && /^-?\d+$/.test(value.text) ? value.text : undefined;
}

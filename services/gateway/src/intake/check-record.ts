import { type Fault, parseProblem, parseRollouts, type Warning } from '@tidemark/formats';
import { sha256Hex } from '@tidemark/identity';
import type { Line } from './split-lines.ts';
import { type Caller, mayUseTarget } from '../access/caller.ts';
import type { RecordSettings } from './upload-settings.ts';

/** What can be wrong with a record, and what only the door knows. */
export type DoorFault = Omit<Fault, 'code'> & { readonly code: Fault['code'] | 'untrusted_grade' | 'foreign_target' };

/** What a record speaks of, as far as it is asked for later. */
export interface Subject {
  readonly problemId: string;
  /** Of a group of attempts. */
  readonly group?: { readonly id: string; readonly target: string; readonly checkpoint: string };
}

/** What one record turned out to be, by the parser that ingest uses. */
export type ReadRecord =
  | { readonly kind: 'good'; readonly subject: Subject; readonly warnings: readonly Warning[] }
  | { readonly kind: 'faulty'; readonly faults: readonly DoorFault[] };

export type CheckedRecord =
  | {
      readonly kind: 'taken';
      readonly line: number;
      readonly bytes: Uint8Array;
      readonly subject: Subject;
      readonly warnings: readonly Warning[];
    }
  | {
      readonly kind: 'refused';
      readonly line: number;
      /** Hash of the record, by which it is the same refusal when it comes again; undefined for what was passed over. */
      readonly sha256: string | undefined;
      /** At least one. */
      readonly faults: readonly DoorFault[];
    };

/** Reads the record of a line; what is wrong with it is said here and now. */
export function checkRecord(line: Line, limitBytes: number, read: (bytes: Uint8Array) => ReadRecord): CheckedRecord {
  if (line.kind === 'too_large') {
    const fault: DoorFault = {
      code: 'too_large',
      field: '',
      reason: `has ${line.sizeBytes} bytes, the limit is ${limitBytes}`,
      advice: 'Make the record smaller; large tests can be split over several problems',
    };
    return { kind: 'refused', line: line.number, sha256: undefined, faults: [fault] };
  }
  const { number, bytes } = line;
  const found = read(bytes);
  if (found.kind === 'faulty') {
    return { kind: 'refused', line: number, sha256: sha256Hex(bytes), faults: found.faults };
  }
  return { kind: 'taken', line: number, bytes, subject: found.subject, warnings: found.warnings };
}

export function readProblem(bytes: Uint8Array, { format, defaults }: RecordSettings): ReadRecord {
  const parsed = parseProblem(bytes, format, defaults);
  if (parsed.kind === 'faulty') return { kind: 'faulty', faults: parsed.faults };
  return { kind: 'good', subject: { problemId: parsed.problemId }, warnings: parsed.warnings };
}

/**
 * @param fileSha256 what the id of a group without one derives from, with the line
 * @param caller who has to be for the group's target; where its own verdicts don't count there have to be outputs, which
 * are graded here
 */
export function readGroup(bytes: Uint8Array, fileSha256: string, line: number, caller: Caller): ReadRecord {
  const parsed = parseRollouts(bytes, { fileSha256, record: line });
  if (parsed.kind === 'faulty') return parsed;
  const { groupId: id, target, checkpoint, problemId, attempts } = parsed.record;
  if (!mayUseTarget(caller, target)) return { kind: 'faulty', faults: [foreign(target)] };
  const missing = attempts.findIndex(({ output }) => output === undefined);
  if (missing >= 0 && !caller.trustedToGrade) return { kind: 'faulty', faults: [untrusted(missing)] };
  return { kind: 'good', subject: { problemId, group: { id, target, checkpoint } }, warnings: parsed.warnings };
}

const untrusted = (attempt: number): DoorFault => ({
  code: 'untrusted_grade',
  field: `attempts[${attempt}].output`,
  reason: 'is missing, and the submitter is not trusted to grade',
  advice: 'Send the outputs: they are graded here. Whose verdicts count the operator says',
});

const foreign = (target: string): DoorFault => ({
  code: 'foreign_target',
  field: 'target',
  reason: `is ${JSON.stringify(target.slice(0, 100))}, and this token is for other targets`,
  advice: 'Report to a target that the token names, or ask an operator for one that names this',
});

/** One fault as it is answered. */
export interface FaultJson {
  readonly field: string;
  readonly code: string;
  /** A sentence with its subject where the fault has no field: `the record is not JSON at character 7`. */
  readonly reason: string;
  readonly do: string;
}

export const faultJson = ({ field, code, reason, advice }: DoorFault): FaultJson => ({
  field,
  code,
  reason: field === '' ? `the record ${reason}` : reason,
  do: `${advice}.`,
});

import { type ProblemId, problemIdOf } from '@tidemark/identity';
import { z } from 'zod';
import type { Fault } from '../faults.ts';
import { name, recordId } from '../json/fields.ts';
import { toPlain } from '../json/plain.ts';
import { readFields } from '../json/read-fields.ts';
import { readRecord } from '../json/read-record.ts';
import { limits } from '../limits.ts';

/** A producer takes a record back. */
export type ParsedWithdrawal =
  | {
      readonly kind: 'withdrawal';
      readonly problemId: ProblemId;
      readonly namespace: string;
      readonly recordId: string;
      /** The producer's words; empty when there are none. */
      readonly reason: string;
    }
  | { readonly kind: 'faulty'; readonly faults: readonly Fault[] };

const schema = z.strictObject({
  format: z.literal('tidemark.withdrawal.v1').optional(),
  namespace: name(limits.namespaceCharacters),
  id: recordId(),
  reason: name(limits.titleCharacters, 0).default(''),
});

const holds = {
  namespace: 'the name of the source, as the record was offered with',
  id: "the source's own id of the record",
  reason: 'why it is taken back, in one sentence',
};

/** Reads a record of the format `tidemark.withdrawal.v1`. */
export function parseWithdrawal(source: Uint8Array): ParsedWithdrawal {
  const read = readRecord(source, () => 'refuse');
  if (read.kind === 'faulty') return read;
  const fields = readFields(schema, toPlain(read.root, new Set()), holds);
  if (fields.kind === 'faulty') return fields;
  const { namespace, id, reason } = fields.value;
  return { kind: 'withdrawal', problemId: problemIdOf(namespace, id), namespace, recordId: id, reason };
}

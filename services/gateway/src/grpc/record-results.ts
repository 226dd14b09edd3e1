import { create } from '@bufbuild/protobuf';
import { type RecordFault, RecordFaultSchema, type RecordResult, RecordResultSchema } from '@tidemark/proto';
import type { FaultJson } from '../intake/check-record.ts';
import type { RecordAnswer } from '../intake/uploads.ts';

/** What became of a record, as a message. */
export function recordResult(answer: RecordAnswer): RecordResult {
  const line = BigInt(answer.line);
  if (answer.outcome === 'refused') {
    const { field, code, reason, do: todo, more = [] } = answer;
    const faults = [{ field, code, reason, do: todo }, ...more].map(recordFault);
    return create(RecordResultSchema, { line, outcome: { case: 'refused', value: { faults } } });
  }
  const { event_id, problem_id, group = '', waits_for, warnings = [] } = answer;
  return create(RecordResultSchema, {
    line,
    outcome: {
      case: 'accepted',
      value: {
        eventId: event_id,
        problemId: problem_id,
        group,
        warnings: warnings.map(({ field, code, reason }) => ({ field, code, reason })),
        ...(waits_for !== undefined && { waitsFor: waits_for }),
      },
    },
  });
}

export const recordFault = ({ field, code, reason, do: advice }: FaultJson): RecordFault =>
  create(RecordFaultSchema, { field, code, reason, advice });

import { classifyFault, type Fault } from '../faults.ts';

export type RecordFaultFound = Extract<Fault, { kind: 'record' }>;

/** How {@link handleBisecting} works on records: each call does its work behind a savepoint of its own. */
export interface BisectSteps<R extends { readonly id: string }> {
  /** Handles records; all or nothing. */
  attempt(records: readonly R[]): Promise<void>;
  layAside(record: R, fault: RecordFaultFound): Promise<void>;
}

/**
 * Handles all records but those at fault, which are laid aside. A fault that names its record takes it out at once; for
 * any other the records are halved until the one at fault stands alone. Order is kept. A dependency's fault ends it by
 * being thrown.
 */
export async function handleBisecting<R extends { readonly id: string }>(
  records: readonly R[],
  steps: BisectSteps<R>,
): Promise<void> {
  if (records.length === 0) return;
  let fault: Fault;
  try {
    await steps.attempt(records);
    return;
  } catch (error) {
    fault = classifyFault(error);
    if (fault.kind === 'dependency') throw error;
  }
  const culprit = records.length === 1 ? 0 : indexOfCulprit(records, fault);
  const record = records[culprit];
  if (record !== undefined) await steps.layAside(record, fault);
  const rest = records.filter((_, index) => index !== culprit);
  // Halves, after a named culprit too: many of them must not cost a run over everything each.
  const middle = Math.ceil(rest.length / 2);
  await handleBisecting(rest.slice(0, middle), steps);
  await handleBisecting(rest.slice(middle), steps);
}

function indexOfCulprit<R extends { readonly id: string }>(records: readonly R[], fault: RecordFaultFound): number {
  const id = fault.event?.id;
  return id === undefined ? -1 : records.findIndex((record) => record.id === id);
}

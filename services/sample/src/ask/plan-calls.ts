import { hashOfFields } from '@tidemark/identity';

/** One call: the slots of the group that its answers are to fill. */
export interface PlannedCall {
  readonly slots: readonly number[];
  /** 31 bits, from request and first slot: asked again after a crash, it is the same. */
  readonly seed: number;
}

export interface CallPlanOptions {
  readonly requestId: string;
  /** The endpoint gives one choice a call. */
  readonly oneChoice: boolean;
  /** Calls at the same time, from 1. */
  readonly callsAtOnce: number;
}

/** The next round of calls for the slots that are still empty: one for all of them, or several for one each. */
export function planCalls(missing: readonly number[], options: CallPlanOptions): readonly PlannedCall[] {
  if (missing.length === 0) return [];
  const groups = options.oneChoice ? missing.slice(0, options.callsAtOnce).map((slot) => [slot]) : [missing];
  return groups.map((slots) => ({ slots, seed: seedOf(options.requestId, slots[0] ?? 0) }));
}

const seedOf = (requestId: string, slot: number): number =>
  Number.parseInt(hashOfFields('seed', requestId, String(slot)).slice(0, 8), 16) >>> 1;

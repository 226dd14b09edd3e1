import { type EventLog, topics } from '@tidemark/event-log';
import type { StageTransaction } from '@tidemark/stage-runtime';

/** The topics that bring what a group may wait for. */
const AWAITED = [topics.problemsIntake, topics.targetsDeclared, topics.checkpointsAdvanced];

/** How far the awaited topics reached at a moment of the database's clock. */
export interface ReadMark {
  readonly at: Date;
  readonly ends: ReadonlyMap<string, { readonly incarnation: string; readonly next: readonly bigint[] }>;
}

export async function takeMark(tx: StageTransaction, log: EventLog): Promise<ReadMark> {
  const [row] = await tx.query<{ at: Date }>('SELECT clock_timestamp() AS at');
  const described = await log.admin.describeAll(AWAITED.map(({ name }) => name));
  const ends = [...described.values()].map(
    ({ name, incarnation, partitions }) => [name, { incarnation, next: partitions.map((one) => one.logEnd) }] as const,
  );
  return { at: row?.at ?? new Date(0), ends: new Map(ends) };
}

/** Whether everything that lay on the awaited topics at the mark has been read since; stale when a topic was replaced. */
export async function readSince(tx: StageTransaction, mark: ReadMark): Promise<'all' | 'not all' | 'stale'> {
  for (const topic of AWAITED) {
    const end = mark.ends.get(topic.name);
    const stored = await tx.storedOffsets(topic);
    if (end === undefined || stored?.incarnation !== end.incarnation) return 'stale';
    const read = new Map(stored.positions.map(({ partition, next }) => [partition, next]));
    if (end.next.some((next, partition) => (read.get(partition) ?? 0n) < next)) return 'not all';
  }
  return 'all';
}

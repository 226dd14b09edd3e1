import type { PartitionId } from '../port.ts';

/** The table of stored offsets, as PostgreSQL keeps it for a service: here a map, with the same compare-and-set. */
export class Offsets {
  readonly #next = new Map<string, bigint>();

  next(group: string, partition: PartitionId): bigint | undefined {
    return this.#next.get(keyOf(group, partition));
  }

  set(group: string, partition: PartitionId, next: bigint): void {
    this.#next.set(keyOf(group, partition), next);
  }

  /** False, and nothing changes, when the stored offset is not the expected one. */
  compareAndSet(group: string, partition: PartitionId, expected: bigint, next: bigint): boolean {
    const key = keyOf(group, partition);
    const stored = this.#next.get(key);
    if (stored !== undefined && stored !== expected) return false;
    this.#next.set(key, next);
    return true;
  }
}

const keyOf = (group: string, { topic, incarnation, partition }: PartitionId): string =>
  `${group} ${topic} ${incarnation} ${partition}`;

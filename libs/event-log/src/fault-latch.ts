import type { PartitionId, SessionFactory } from './port.ts';

/** Reports faults to the consumer, and the end of each fault once. */
export class FaultLatch {
  readonly #sessions: SessionFactory;
  readonly #faulty = new Set<string>();

  constructor(sessions: SessionFactory) {
    this.#sessions = sessions;
  }

  fault(cause: unknown, partition?: PartitionId): void {
    this.#faulty.add(keyOf(partition));
    this.#tell(() => this.#sessions.onFault(cause instanceof Error ? cause : new Error(String(cause)), partition));
  }

  recovered(partition?: PartitionId): void {
    if (this.#faulty.delete(keyOf(partition))) this.#tell(() => this.#sessions.onRecovered?.(partition));
  }

  /** A listener that throws must not end the consumer that reports to it. */
  #tell(call: () => void): void {
    try {
      call();
    } catch {
      // Nobody is left to be told.
    }
  }
}

const keyOf = (partition: PartitionId | undefined): string =>
  partition ? `${partition.incarnation}/${partition.partition}` : '';

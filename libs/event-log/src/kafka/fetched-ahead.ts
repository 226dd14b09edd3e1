import { bytesOf, type Fetched } from '../fetched.ts';
import type { PartitionWorker } from '../partition-worker.ts';

type Owner = Pick<PartitionWorker, 'state' | 'position'>;

/**
 * What was fetched but not handed out yet, by partition. It counts against what may be held, so that only what a worker
 * can still be given may lie here: an answer may come after its partition went to another member or its session ended.
 */
export class FetchedAhead {
  readonly #byPartition = new Map<number, Fetched>();

  /** Keeps an answer if a worker still waits for just that. */
  put(fetched: Fetched, worker: Owner | undefined): void {
    if (worker?.state === 'idle' && worker.position === fetched.from) this.#byPartition.set(fetched.partition, fetched);
  }

  /** Keeps what a batch in hand left over. */
  putBack(rest: Fetched): void {
    this.#byPartition.set(rest.partition, rest);
  }

  has(partition: number): boolean {
    return this.#byPartition.has(partition);
  }

  take(partition: number): Fetched | undefined {
    const fetched = this.#byPartition.get(partition);
    this.#byPartition.delete(partition);
    return fetched;
  }

  /** Drops what belongs to no session: it has no worker any more, or one that begins anew somewhere. */
  prune(workers: ReadonlyMap<number, Owner>): void {
    for (const [partition, { from }] of this.#byPartition) {
      const worker = workers.get(partition);
      // What follows a batch in hand is waited for once that is stored.
      const wanted = worker?.state === 'working' || (worker?.state === 'idle' && worker.position === from);
      if (!wanted) this.#byPartition.delete(partition);
    }
  }

  clear(): void {
    this.#byPartition.clear();
  }

  get bytes(): number {
    let bytes = 0;
    for (const fetched of this.#byPartition.values()) bytes += bytesOf(fetched);
    return bytes;
  }
}

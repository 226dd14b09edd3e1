import type { FetchedBatch, LogBounds, LogRecord, PartitionId, PartitionSession, SessionFactory } from '../port.ts';
import type { Offsets } from './offsets.ts';

export interface CollectorHooks {
  /** Before the offset is stored: the place to be slow, to fail, or to be overtaken. */
  readonly beforeStore?: (batch: FetchedBatch) => Promise<void> | void;
}

/** A consumer that keeps what it has stored, as a service does: the work and its offset together or not at all. */
export class Collector implements SessionFactory {
  /** Records whose work was stored, in the order in which it was. */
  readonly stored: LogRecord[] = [];
  readonly faults: { readonly fault: Error; readonly partition: PartitionId | undefined }[] = [];
  readonly opened: { readonly partition: PartitionId; readonly start: bigint }[] = [];
  readonly batches: FetchedBatch[] = [];
  recovered = 0;
  lost = 0;
  readonly #offsets: Offsets;
  readonly #group: string;
  readonly #hooks: CollectorHooks;

  constructor(offsets: Offsets, group: string, hooks: CollectorHooks = {}) {
    this.#offsets = offsets;
    this.#group = group;
    this.#hooks = hooks;
  }

  open(partition: PartitionId, bounds: LogBounds): Promise<{ start: bigint; session: PartitionSession }> {
    const start = this.#offsets.next(this.#group, partition) ?? bounds.logStart;
    this.opened.push({ partition, start });
    let expected = start;
    const onBatch = async (batch: FetchedBatch) => {
      this.batches.push(batch);
      await this.#hooks.beforeStore?.(batch);
      if (
        batch.fetchedFrom < expected ||
        !this.#offsets.compareAndSet(this.#group, partition, expected, batch.nextOffset)
      ) {
        this.lost += 1;
        return 'lost';
      }
      expected = batch.nextOffset;
      this.stored.push(...batch.records);
      return 'stored';
    };
    return Promise.resolve({ start, session: { onBatch } });
  }

  onFault(fault: Error, partition: PartitionId | undefined): void {
    this.faults.push({ fault, partition });
  }

  onRecovered(): void {
    this.recovered += 1;
  }

  /** Values stored so far, as text, of one key or of all. */
  values(key?: string): string[] {
    return this.stored.filter((r) => key === undefined || text(r.key) === key).map((r) => text(r.value) ?? '(null)');
  }
}

export const text = (bytes: Uint8Array | null): string | null => (bytes ? Buffer.from(bytes).toString('utf8') : null);

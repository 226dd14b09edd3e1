import type { FetchedBatch, LogBounds, PartitionId } from '@tidemark/event-log';

interface Progress {
  readonly partition: PartitionId;
  lag: number;
  /** When the oldest unhandled record was written, in ms since 1970, as far as known. */
  oldestMs: number | undefined;
  /** When the batch in hand was taken, by the monotonic clock; undefined between batches. */
  takenAtMs: number | undefined;
  /** Stored offset. */
  next: bigint;
}

/** A batch that has been in hand for so long holds its partition up: where the log ends meanwhile has to be asked. */
const STUCK_MS = 5_000;

/** How far the sessions of this replica have come: what lag and age are read from, without asking anybody. */
export class ConsumerProgress {
  private readonly partitions = new Map<string, Progress>();

  opened(partition: PartitionId, next: bigint, { logEnd }: LogBounds): void {
    this.partitions.set(keyOf(partition), {
      partition,
      next,
      lag: distance(next, logEnd),
      oldestMs: undefined,
      takenAtMs: undefined,
    });
  }

  taken({ partition, records, fetchedFrom, logEnd }: FetchedBatch): void {
    this.partitions.set(keyOf(partition), {
      partition,
      next: fetchedFrom,
      lag: distance(fetchedFrom, logEnd),
      oldestMs: records[0]?.timestampMs,
      takenAtMs: performance.now(),
    });
  }

  stored({ partition, records, nextOffset, logEnd }: FetchedBatch): void {
    const lag = distance(nextOffset, logEnd);
    // What comes next was written after what came last: its age is known to be no more than that.
    const oldestMs = lag === 0 ? undefined : records.at(-1)?.timestampMs;
    this.partitions.set(keyOf(partition), { partition, next: nextOffset, lag, oldestMs, takenAtMs: undefined });
  }

  /** Topics with a partition that is held up. */
  stuckTopics(held: readonly PartitionId[]): ReadonlySet<string> {
    const now = performance.now();
    const stuck = this.of(held).filter(({ takenAtMs }) => takenAtMs !== undefined && now - takenAtMs > STUCK_MS);
    return new Set(stuck.map(({ partition }) => partition.topic));
  }

  /** Tells where the log of a topic ends now. */
  ends(topic: string, incarnation: string, bounds: readonly LogBounds[]): void {
    for (const progress of this.partitions.values()) {
      const { partition } = progress;
      const end = bounds[partition.partition]?.logEnd;
      if (partition.topic !== topic || partition.incarnation !== incarnation || end === undefined) continue;
      progress.lag = distance(progress.next, end);
    }
  }

  /** Lag in offsets and age in seconds of a topic's partitions that are held now. */
  read(topic: string, held: readonly PartitionId[], nowMs = Date.now()): { lag: number; oldestAge: number } {
    const mine = this.of(held).filter(({ partition }) => partition.topic === topic);
    const ages = mine.map(({ lag, oldestMs }) => (lag > 0 && oldestMs !== undefined ? (nowMs - oldestMs) / 1000 : 0));
    return { lag: mine.reduce((sum, { lag }) => sum + lag, 0), oldestAge: Math.max(0, ...ages) };
  }

  private of(held: readonly PartitionId[]): Progress[] {
    return held.flatMap((partition) => this.partitions.get(keyOf(partition)) ?? []);
  }
}

const distance = (next: bigint, end: bigint): number => Math.max(0, Number(end - next));
const keyOf = ({ topic, incarnation, partition }: PartitionId): string => `${topic}/${incarnation}/${partition}`;

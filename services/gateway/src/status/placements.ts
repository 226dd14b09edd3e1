import { Injectable } from '@nestjs/common';
import { StageDatabase } from '@tidemark/stage-runtime';
import { countTargets, type TargetCounts } from './funnel.ts';

/** Counting takes at most this share of the time while events pass by. */
const SHARE_OF_TIME = 0.1;
const AT_LEAST_MS = 400;

interface Counted {
  readonly counts: readonly TargetCounts[];
  /** How far all services had come, where all was quiet before the counting began; else undefined. */
  readonly settledAt: string | undefined;
  readonly endedMs: number;
  readonly tookMs: number;
}

/**
 * Where the problems stand for each target. Counting reads what is curated and measured of every target, so it is not
 * done for each caller: while events pass by, the numbers may be some seconds old; once all is quiet they are exact.
 */
@Injectable()
export class Placements {
  private last: Counted | undefined;
  private counting: { readonly settledAt: string | undefined; readonly done: Promise<Counted> } | undefined;

  constructor(private readonly database: StageDatabase) {}

  /** @param settledAt how far all services have come, where all is quiet; undefined while something is on its way */
  async counts(settledAt: string | undefined): Promise<readonly TargetCounts[]> {
    const { last, counting } = this;
    if (last !== undefined && this.isGood(last, settledAt)) return last.counts;
    // A counting that began before all was quiet is not exact.
    if (counting !== undefined && (settledAt === undefined || counting.settledAt === settledAt)) {
      return (await counting.done).counts;
    }
    const done = this.count(settledAt);
    const mine = { settledAt, done };
    this.counting = mine;
    try {
      return (await done).counts;
    } finally {
      if (this.counting === mine) this.counting = undefined;
    }
  }

  private isGood({ settledAt: then, endedMs, tookMs }: Counted, settledAt: string | undefined): boolean {
    if (settledAt !== undefined) return then === settledAt;
    return performance.now() - endedMs < Math.max(AT_LEAST_MS, tookMs / SHARE_OF_TIME);
  }

  private async count(settledAt: string | undefined): Promise<Counted> {
    const began = performance.now();
    const counts = await countTargets(this.database);
    const endedMs = performance.now();
    const counted = { counts, settledAt, endedMs, tookMs: endedMs - began };
    this.last = counted;
    return counted;
  }
}

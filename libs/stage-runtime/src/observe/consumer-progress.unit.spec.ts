import type { FetchedBatch, LogRecord } from '@tidemark/event-log';
import { describe, expect, it } from 'vitest';
import { ConsumerProgress } from './consumer-progress.ts';

const partition = { topic: 't', partition: 0, incarnation: 'i' };
const batch = (fetchedFrom: bigint, nextOffset: bigint, logEnd: bigint, timesMs: readonly number[]): FetchedBatch => ({
  partition,
  fetchedFrom,
  nextOffset,
  logEnd,
  records: timesMs.map((timestampMs) => ({ timestampMs }) as LogRecord),
  signal: new AbortController().signal,
  heartbeat: async () => undefined,
});
const NOW = 100_000;

describe('the progress of a consumer', () => {
  it('begins with the lag that the session finds', () => {
    const progress = new ConsumerProgress();
    progress.opened(partition, 4n, { logStart: 0n, logEnd: 10n });
    expect(progress.read('t', [partition], NOW)).toEqual({ lag: 6, oldestAge: 0 });
  });

  it('is as old as the first record of the batch in hand', () => {
    const progress = new ConsumerProgress();
    progress.taken(batch(4n, 6n, 10n, [70_000, 80_000]));
    expect(progress.read('t', [partition], NOW)).toEqual({ lag: 6, oldestAge: 30 });
  });

  it('is no older than the last record handled, and 0 without lag', () => {
    const progress = new ConsumerProgress();
    progress.stored(batch(4n, 6n, 10n, [70_000, 80_000]));
    expect(progress.read('t', [partition], NOW)).toEqual({ lag: 4, oldestAge: 20 });
    progress.stored(batch(6n, 10n, 10n, [90_000]));
    expect(progress.read('t', [partition], NOW)).toEqual({ lag: 0, oldestAge: 0 });
  });

  it('counts what is held now, and forgets what another replica has taken over', () => {
    const progress = new ConsumerProgress();
    progress.taken(batch(4n, 6n, 10n, [70_000]));
    expect(progress.read('t', [], NOW)).toEqual({ lag: 0, oldestAge: 0 });
    expect(progress.read('other', [partition], NOW)).toEqual({ lag: 0, oldestAge: 0 });
  });

  it('is told where the log of the same life of the topic ends', () => {
    const progress = new ConsumerProgress();
    progress.taken(batch(4n, 6n, 10n, [70_000]));
    progress.ends('t', 'another life', [{ logStart: 0n, logEnd: 99n }]);
    expect(progress.read('t', [partition], NOW).lag).toBe(6);
    progress.ends('t', 'i', [{ logStart: 0n, logEnd: 50n }]);
    expect(progress.read('t', [partition], NOW).lag).toBe(46);
  });
});

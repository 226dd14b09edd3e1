import { describe, expect, test } from 'vitest';
import type { Fetched } from '../fetched.ts';
import type { PartitionWorker } from '../partition-worker.ts';
import { FetchedAhead } from './fetched-ahead.ts';

type Owner = Pick<PartitionWorker, 'state' | 'position'>;

const fetched = (partition: number, from: bigint): Fetched => ({
  partition,
  from,
  records: [
    {
      topic: 't',
      partition,
      offset: from,
      timestampMs: 0,
      key: null,
      value: Buffer.alloc(100),
      headers: {},
    },
  ],
  nextOffset: from + 1n,
  logStart: 0n,
  logEnd: 10n,
});

describe('what was fetched ahead', () => {
  test.each<[string, Owner | undefined]>([
    ['nobody', undefined],
    ['a worker whose partition was taken away', { state: 'revoked', position: 5n }],
    ['a worker whose session ended', { state: 'closed', position: 5n }],
    ['a worker that opens a session', { state: 'opening', position: 5n }],
    ['a worker at another position', { state: 'idle', position: 6n }],
    ['a worker that has a batch in hand', { state: 'working', position: 5n }],
  ])('is not held when it is answered to %s', (_who, worker) => {
    const ahead = new FetchedAhead();
    ahead.put(fetched(0, 5n), worker);
    expect(ahead.bytes).toBe(0);
  });

  test.each<[string, Owner | undefined]>([
    ['nobody has the partition any more', undefined],
    ['the partition is being given up', { state: 'revoked', position: 5n }],
    ['the session ended', { state: 'closed', position: 5n }],
    ['a session begins anew', { state: 'opening', position: 5n }],
    ['a session went elsewhere', { state: 'idle', position: 3n }],
  ])('is dropped when %s', (_why, worker) => {
    const ahead = new FetchedAhead();
    ahead.put(fetched(0, 5n), { state: 'idle', position: 5n });
    expect(ahead.bytes).toBe(100);
    ahead.prune(new Map(worker ? [[0, worker]] : []));
    expect(ahead.bytes).toBe(0);
    expect(ahead.take(0)).toBeUndefined();
  });

  test('is kept for the worker that waits for it, and behind its batch in hand', () => {
    const ahead = new FetchedAhead();
    ahead.put(fetched(0, 5n), { state: 'idle', position: 5n });
    ahead.putBack(fetched(1, 8n));
    ahead.prune(
      new Map<number, Owner>([
        [0, { state: 'idle', position: 5n }],
        [1, { state: 'working', position: 7n }],
      ]),
    );
    expect(ahead.take(0)?.from).toBe(5n);
    expect(ahead.take(1)?.from).toBe(8n);
    expect(ahead.bytes).toBe(0);
  });
});

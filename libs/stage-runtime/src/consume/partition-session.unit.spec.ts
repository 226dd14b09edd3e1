import { expect, it } from 'vitest';
import { DependencyFault } from '../api.ts';
import { ReadinessBoard } from '../observe/readiness-board.ts';
import type { StageParts } from '../stage-parts.ts';
import type { BatchWork } from './batch-work.ts';
import { StageSession } from './partition-session.ts';

it('takes its reason back when the partition goes to another while it waits', async () => {
  const board = new ReadinessBoard();
  board.clear('start');
  const parts = {
    board,
    ended: new AbortController().signal,
    backoff: { firstMs: 10, maxMs: 10 },
    logger: { warn: () => undefined },
    metrics: { retries: { inc: () => undefined } },
    progress: { taken: () => undefined },
    transactions: { run: () => Promise.reject(new DependencyFault('the endpoint', 'it is away')) },
  } as unknown as StageParts;
  const handler: BatchWork = { topic: 't', name: 'h', options: {}, handle: () => Promise.resolve() };
  const session = new StageSession(parts, handler, 'group', { next: 0n, epoch: 0n });
  const revoked = new AbortController();
  const done = session.onBatch({
    partition: { topic: 't', partition: 0, incarnation: 'i' },
    fetchedFrom: 0n,
    records: [],
    nextOffset: 5n,
    logEnd: 5n,
    signal: revoked.signal,
    heartbeat: () => Promise.resolve(),
  });
  await expect.poll(() => board.read().reasons).toEqual(['t/0 waits for the endpoint: it is away']);
  revoked.abort();
  expect(await done).toBe('lost');
  expect(board.read()).toEqual({ ready: true, reasons: [] });
});

import { expect, it } from 'vitest';
import type { StageParts } from '../stage-parts.ts';
import { followEpochs } from './follow-epochs.ts';

it('tells of a rewind until another session has opened, whatever the one of before is doing', async () => {
  const end = new AbortController();
  const row = { incarnation: 'i', partition: 2, epoch: 4n };
  const parts = { transactions: { query: () => Promise.resolve([row]) }, ended: end.signal };
  const epochs = new Map([[2, 3n]]);
  const told: number[] = [];
  const consumer = {
    assignment: () => [{ topic: 't', partition: 2, incarnation: 'i' }],
    reopen(partition: number) {
      told.push(partition);
      // At work the first two times; the batch in hand is the last one for now, and is stored.
      if (told.length === 3) epochs.set(2, 4n);
    },
  };
  const following = followEpochs(parts as unknown as StageParts, 'group', { epochs }, consumer, 5);
  await expect.poll(() => told).toEqual([2, 2, 2]);
  // Long enough for many more looks.
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(told).toEqual([2, 2, 2]);
  end.abort();
  await following;
});

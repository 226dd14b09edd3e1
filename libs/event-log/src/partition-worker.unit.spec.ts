import { expect, it } from 'vitest';
import { FaultLatch } from './fault-latch.ts';
import { PartitionWorker } from './partition-worker.ts';
import type { SessionFactory } from './port.ts';

const id = { topic: 't', partition: 3, incarnation: 'i' };
const bounds = { logStart: 0n, logEnd: 9n };

function worker(sessions: Pick<SessionFactory, 'open'>) {
  const said: string[] = [];
  const faults = new FaultLatch({
    ...sessions,
    onFault: (fault, partition) => said.push(`${partition?.partition}: ${fault.message}`),
    onRecovered: (partition) => said.push(`${partition?.partition}: recovered`),
  });
  const parts = { id, memberId: 'm', sessions: { ...sessions, onFault: () => undefined }, faults };
  return { said, worker: new PartitionWorker({ ...parts, isStopping: () => false, changed: () => undefined }) };
}

it('takes its fault back when the partition goes to another', async () => {
  const { said, worker: one } = worker({ open: () => Promise.reject(new Error('away')) });
  one.open(bounds);
  await one.settled();
  expect(said).toEqual(['3: away']);
  one.revoke();
  expect(said).toEqual(['3: away', '3: recovered']);
});

it('says nothing of a batch that fails when the partition is no longer its own', async () => {
  let fail: (error: Error) => void = () => undefined;
  const onBatch = () => new Promise<'stored'>((_, reject) => (fail = reject));
  const { said, worker: one } = worker({ open: () => Promise.resolve({ start: 0n, session: { onBatch } }) });
  one.open(bounds);
  await one.settled();
  one.deliver({ partition: 3, from: 0n, records: [], nextOffset: 2n, ...bounds });
  one.revoke('finish');
  fail(new Error('away'));
  await one.settled();
  expect(said).toEqual([]);
});

it('forgets where it found nothing when its next session begins elsewhere', async () => {
  const onBatch = () => Promise.resolve('stored' as const);
  const { worker: one } = worker({ open: () => Promise.resolve({ start: 9n, session: { onBatch } }) });
  one.open(bounds);
  await one.settled();
  one.nothingAt = 9n;
  // The stored offset was moved back: the end is the same, and there is much to read.
  one.reopen();
  one.open(bounds);
  await one.settled();
  expect(one.nothingAt).toBeUndefined();
});

import { startPostgres, type TestPostgres } from '@tidemark/testing-servers';
import type { DataSource } from 'typeorm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LeaseLostError } from '../api.ts';
import { createDataSource } from '../database/data-source.ts';
import { migrate } from '../database/migrate.ts';
import { Transactions } from '../database/transactions.ts';
import { sleep } from '../sleep.ts';
import { assertLease } from './lease-table.ts';
import { PATIENCE } from '../testing/patience.ts';
import { TableLeaseKeeper } from './table-lease-keeper.ts';

describe('leases', () => {
  let postgres: TestPostgres;
  let dataSource: DataSource;
  let transactions: Transactions;
  const keepers: TableLeaseKeeper[] = [];

  beforeAll(async () => {
    postgres = await startPostgres();
    dataSource = createDataSource({
      databaseUrl: postgres.url,
      schema: 'calibrate',
      poolSize: 5,
      migrations: [],
      onIdleError: () => undefined,
    });
    await dataSource.initialize();
    await migrate({ databaseUrl: postgres.url, schema: 'calibrate', migrations: [], onWait: () => undefined });
    transactions = new Transactions(dataSource, () => undefined, 5);
  });
  afterAll(async () => {
    await Promise.all(keepers.map((keeper) => keeper.stop()));
    await dataSource.destroy();
    await postgres.stop();
  });

  const keeperOf = (owner: string, ttlMs = 600) => {
    const keeper = new TableLeaseKeeper(transactions, { owner, address: `http://${owner}` }, ttlMs, () => undefined);
    keepers.push(keeper);
    return keeper;
  };

  it('are held by one, and the other learns by whom', async () => {
    const [first, second] = [keeperOf('one'), keeperOf('two')];
    const held = await first.acquire('target-a');
    expect(held?.epoch).toBe(1n);
    expect(await second.acquire('target-a')).toBeUndefined();
    expect(await second.ownerOf('target-a')).toEqual({ epoch: 1n, address: 'http://one', here: false });
    expect(await first.acquire('target-a')).toBe(held);
  });

  it('are kept by renewing, and pass on with a higher epoch when nobody renews', async () => {
    const [first, second] = [keeperOf('one'), keeperOf('two')];
    first.start();
    await first.acquire('target-b');
    await sleep(1_500);
    expect(await second.acquire('target-b')).toBeUndefined();
    first.abandon();
    await expect.poll(() => second.acquire('target-b')).toMatchObject({ epoch: 2n });
    expect(first.held('target-b')).toBeUndefined();
  });

  it('that went to another refuse the write of the first, however late', async () => {
    const [first, second] = [keeperOf('one', 100), keeperOf('two', 100)];
    const lease = await first.acquire('target-c');
    if (lease === undefined) throw new Error('not taken');
    await expect.poll(() => second.acquire('target-c'), PATIENCE).toBeDefined();
    await expect(transactions.run('late', (open) => assertLease(open, lease))).rejects.toThrow(LeaseLostError);
  });

  it('cannot be taken while a transaction under them is open', async () => {
    const [first, second] = [keeperOf('one', 100), keeperOf('two', 100)];
    const lease = await first.acquire('target-d');
    if (lease === undefined) throw new Error('not taken');
    const order: string[] = [];
    const writing = transactions.run('writing', async (open) => {
      await assertLease(open, lease);
      await sleep(400);
      order.push('written');
    });
    await sleep(150);
    const taken = await second.acquire('target-d');
    order.push('taken');
    await writing;
    expect(taken?.epoch).toBe(2n);
    expect(order).toEqual(['written', 'taken']);
  });

  it('given back are free at once', async () => {
    const [first, second] = [keeperOf('one', 60_000), keeperOf('two')];
    await first.acquire('target-e');
    await first.release('target-e');
    expect(await second.acquire('target-e')).toMatchObject({ epoch: 2n });
  });
});

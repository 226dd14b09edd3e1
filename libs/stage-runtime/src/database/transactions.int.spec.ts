import { type EventEmitter, once } from 'node:events';
import { startPostgres, type TestPostgres } from '@tidemark/testing-servers';
import type { DataSource } from 'typeorm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { classifyFault } from '../faults.ts';
import { createDataSource } from './data-source.ts';
import { migrate } from './migrate.ts';
import { Transactions } from './transactions.ts';

const POOL_SIZE = 4;

describe('transactions', () => {
  let postgres: TestPostgres;
  let dataSource: DataSource;
  let transactions: Transactions;

  beforeAll(async () => {
    postgres = await startPostgres();
    dataSource = source();
    await dataSource.initialize();
    await migrate({ databaseUrl: postgres.url, schema: 'dedup', migrations: [], onWait: () => undefined });
    transactions = new Transactions(dataSource, () => undefined, POOL_SIZE);
    await transactions.query(
      'CREATE TABLE accounts (name text PRIMARY KEY, amount integer NOT NULL CHECK (amount < 100))',
    );
    await transactions.query("INSERT INTO accounts VALUES ('a', 0), ('b', 0)");
  });
  afterAll(async () => {
    await dataSource.destroy();
    await postgres.stop();
  });

  const source = (schema = 'dedup') =>
    createDataSource({
      databaseUrl: postgres.url,
      schema,
      poolSize: POOL_SIZE,
      migrations: [],
      onIdleError: () => undefined,
    });

  /** The pool has taken note that one of its connections is gone. */
  const connectionRemoved = async (): Promise<void> => {
    const { master } = dataSource.driver as unknown as { readonly master: EventEmitter };
    await once(master, 'remove');
  };

  it('that lock each other are both done in the end', async () => {
    let locked = 0;
    const both = Promise.withResolvers<void>();
    const raise = ([first, second]: readonly [string, string]) =>
      transactions.run('raise', async (open) => {
        const one = (name: string) => open.query('UPDATE accounts SET amount = amount + 1 WHERE name = $1', [name]);
        await one(first);
        locked += 1;
        if (locked === 2) both.resolve();
        await both.promise;
        await one(second);
      });
    await Promise.all([raise(['a', 'b']), raise(['b', 'a'])]);
    // One of them was begun again.
    expect(locked).toBe(3);
    expect(await transactions.query('SELECT amount FROM accounts')).toEqual([{ amount: 2 }, { amount: 2 }]);
  });

  it('leave connections for statements asked for within them, however many there are', async () => {
    const work = Array.from({ length: 20 }, () =>
      transactions.run('nested', async (open) => {
        await open.query('SELECT 1');
        await transactions.query('SELECT 2');
      }),
    );
    await Promise.all(work);
  });

  it('undo what was done behind a savepoint, and keep the rest', async () => {
    const actions: string[] = [];
    await transactions.run('savepoint', async (open) => {
      await open.query("INSERT INTO accounts VALUES ('kept', 1)");
      const failing = open.inSavepoint(async () => {
        open.afterCommit(() => actions.push('undone'));
        await open.query("INSERT INTO accounts VALUES ('undone', 1)");
        await open.query("INSERT INTO accounts VALUES ('too much', 100)");
      });
      await expect(failing).rejects.toThrow('accounts_amount_check');
      open.afterCommit(() => actions.push('kept'));
    });
    expect(await transactions.query("SELECT name FROM accounts WHERE name IN ('kept', 'undone')")).toEqual([
      { name: 'kept' },
    ]);
    expect(actions).toEqual(['kept']);
  });

  // At once, and after the pool has taken note: the connection then fails by other words.
  it.each([
    { when: 'just', last: 'a statement' },
    { when: 'and missed', last: 'a statement' },
    { when: 'just', last: 'the commit' },
    { when: 'and missed', last: 'the commit' },
  ])(
    'name the database when their connection is cut $when before $last, and work again after',
    async ({ when, last }) => {
      const noted = connectionRemoved();
      const cut = transactions.run('cut', async (open) => {
        const [row] = await open.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
        await transactions.query('SELECT pg_terminate_backend($1, 5000)', [row?.pid]);
        if (when === 'and missed') await noted;
        if (last === 'a statement') await open.query('SELECT 1');
      });
      const error: unknown = await cut.catch((thrown: unknown) => thrown);
      expect(classifyFault(error)).toMatchObject({ kind: 'dependency' });
      expect(await transactions.query('SELECT 1 AS one')).toEqual([{ one: 1 }]);
    },
  );

  it('blame the database when the connection was lost, whatever the work threw after that', async () => {
    const noted = connectionRemoved();
    const cut = transactions.run('cut', async (open) => {
      const [row] = await open.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
      await transactions.query('SELECT pg_terminate_backend($1)', [row?.pid]);
      await open.query('SELECT 1').catch(() => undefined);
      await noted;
      throw new Error('a bug that the lost connection brought to light');
    });
    const error: unknown = await cut.catch((thrown: unknown) => thrown);
    expect(classifyFault(error)).toMatchObject({ kind: 'dependency', dependency: 'database' });
  });
});

import type { DataSource, QueryRunner } from 'typeorm';
import { DependencyFault, type Sql } from '../api.ts';
import type { TransactionOptions } from '../injectables.ts';
import type { MomentListener } from '../moments.ts';
import { sleep } from '../sleep.ts';
import { isContention } from './contention.ts';
import { Permits } from './permits.ts';
import { rowsOf } from './rows.ts';

/** A transaction at hand. Work is done in segments; what a segment asks for after commit is kept if it succeeds. */
export class OpenTransaction implements Sql {
  private readonly actions: (() => void)[] = [];
  private savepoints = 0;

  constructor(private readonly runner: QueryRunner) {}

  query<Row = Record<string, unknown>>(sql: string, parameters: readonly unknown[] = []): Promise<Row[]> {
    return rowsOf<Row>(this.runner, sql, parameters);
  }

  /** Runs once the transaction is committed; must not throw. */
  afterCommit(action: () => void): void {
    this.actions.push(action);
  }

  /** Does `work` behind a savepoint: when it throws, what it did is undone and the error goes on. */
  async inSavepoint<T>(work: () => Promise<T>): Promise<T> {
    const name = `s${++this.savepoints}`;
    const actionsBefore = this.actions.length;
    await this.runner.query(`SAVEPOINT ${name}`);
    try {
      const result = await work();
      await this.runner.query(`RELEASE SAVEPOINT ${name}`);
      return result;
    } catch (error) {
      this.actions.length = actionsBefore;
      await this.runner.query(`ROLLBACK TO SAVEPOINT ${name}; RELEASE SAVEPOINT ${name}`);
      throw error;
    }
  }

  /** @internal */
  runActions(): void {
    for (const action of this.actions) action();
  }
}

/** Tries of a transaction that others get in the way of. */
const TRIES = 8;
/** Connections kept from transactions: a statement asked for within one must not wait for its end. */
const KEPT_FOR_STATEMENTS = 2;

/** Opens transactions on a service's schema. */
export class Transactions implements Sql {
  private readonly permits: Permits;

  constructor(
    private readonly dataSource: DataSource,
    private readonly reached: MomentListener,
    poolSize: number,
  ) {
    this.permits = new Permits(Math.max(1, poolSize - KEPT_FOR_STATEMENTS));
  }

  /** Transactions that wait for leave to open. */
  get waiting(): number {
    return this.permits.awaited;
  }

  /** One statement by itself. */
  async query<Row = Record<string, unknown>>(sql: string, parameters: readonly unknown[] = []): Promise<Row[]> {
    const runner = this.dataSource.createQueryRunner();
    try {
      return await rowsOf<Row>(runner, sql, parameters);
    } finally {
      await runner.release();
    }
  }

  /**
   * Commits what `work` did, or nothing of it. After a deadlock or a serialisation failure `work` runs again.
   *
   * @param where named to whoever listens for moments
   */
  async run<T>(
    where: string,
    work: (open: OpenTransaction) => Promise<T>,
    isolation: TransactionOptions['isolation'] = 'read committed',
  ): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.permits.with(() => this.runOnce(where, work, isolation));
      } catch (error) {
        if (attempt >= TRIES || !isContention(error)) throw error;
        await sleep(Math.random() * 5 * 2 ** attempt);
      }
    }
  }

  private async runOnce<T>(
    where: string,
    work: (open: OpenTransaction) => Promise<T>,
    isolation: TransactionOptions['isolation'],
  ): Promise<T> {
    const runner = this.dataSource.createQueryRunner();
    try {
      await runner.startTransaction(isolation === 'repeatable read' ? 'REPEATABLE READ' : 'READ COMMITTED');
      const open = new OpenTransaction(runner);
      const result = await work(open);
      await this.reached('before-commit', where);
      await runner.commitTransaction();
      await this.reached('after-commit', where);
      open.runActions();
      return result;
    } catch (error) {
      // A rollback that fails means that the connection is gone, and the transaction with it.
      const connectionLost = runner.isReleased;
      if (runner.isTransactionActive) await runner.rollbackTransaction().catch(() => undefined);
      // Whatever the work made of it, no record is at fault for that.
      if (connectionLost) throw new DependencyFault('database', 'the connection was lost', { cause: error });
      throw error;
    } finally {
      await runner.release();
    }
  }
}

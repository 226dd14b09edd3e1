import type { DataSource, QueryRunner } from 'typeorm';
import type { Sql } from '../api.ts';
import type { TransactionOptions } from '../injectables.ts';
import type { MomentListener } from '../moments.ts';
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

/** Opens transactions on a service's schema. */
export class Transactions implements Sql {
  constructor(
    private readonly dataSource: DataSource,
    private readonly reached: MomentListener,
  ) {}

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
   * Commits what `work` did, or nothing of it.
   *
   * @param where named to whoever listens for moments
   */
  async run<T>(
    where: string,
    work: (open: OpenTransaction) => Promise<T>,
    isolation: TransactionOptions['isolation'] = 'read committed',
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
      if (runner.isTransactionActive) await runner.rollbackTransaction().catch(() => undefined);
      throw error;
    } finally {
      await runner.release();
    }
  }
}

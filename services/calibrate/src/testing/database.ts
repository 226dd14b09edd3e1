import type { Sql } from '@tidemark/stage-runtime';
import { startPostgres } from '@tidemark/testing-servers';
import { DataSource, type QueryRunner } from 'typeorm';
import { migrations } from '../postgres/migrations.ts';

/** This service's tables on a real PostgreSQL, without the runtime around them. */
export interface TestDatabase extends Sql {
  /** Runs work in a transaction on a connection of its own. */
  transaction<T>(work: (tx: Sql) => Promise<T>, isolation?: 'READ COMMITTED' | 'REPEATABLE READ'): Promise<T>;
  stop(): Promise<void>;
}

export async function startDatabase(): Promise<TestDatabase> {
  const postgres = await startPostgres();
  const source = await new DataSource({
    type: 'postgres',
    url: postgres.url,
    migrations: [...migrations],
  }).initialize();
  await source.runMigrations();
  const sqlOf = (runner: QueryRunner): Sql => ({
    async query<Row>(sql: string, parameters: readonly unknown[] = []): Promise<Row[]> {
      return (await runner.query(sql, [...parameters], true)).records as Row[];
    },
  });
  return {
    async query<Row>(sql: string, parameters: readonly unknown[] = []): Promise<Row[]> {
      const runner = source.createQueryRunner();
      try {
        return await sqlOf(runner).query<Row>(sql, parameters);
      } finally {
        await runner.release();
      }
    },
    async transaction<T>(
      work: (tx: Sql) => Promise<T>,
      isolation: 'READ COMMITTED' | 'REPEATABLE READ' = 'READ COMMITTED',
    ) {
      const runner = source.createQueryRunner();
      try {
        await runner.startTransaction(isolation);
        const result = await work(sqlOf(runner));
        await runner.commitTransaction();
        return result;
      } catch (error) {
        await runner.rollbackTransaction();
        throw error;
      } finally {
        await runner.release();
      }
    },
    async stop() {
      await source.destroy();
      await postgres.stop();
    },
  };
}

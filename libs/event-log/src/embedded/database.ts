import pg from 'pg';
import { EventLogError, LogUnavailableError } from '../errors.ts';
import { valueTypes } from './values.ts';

/** Runs one statement. Columns come as `valueTypes` says. */
export type Sql = <Row = unknown>(sql: string, values?: readonly unknown[]) => Promise<Row[]>;

/** Name by which a statement or connection shows in `pg_stat_activity`. */
const applicationName = 'tidemark event log';

/** Bound of a statement in {@link Database.transaction}, in ms: compaction may copy a large segment. */
const longQueryMs = 600_000;

/** The server ends a transaction whose client says nothing for that long, in ms. */
const idleMs = 5_000;

/** The log's connections to PostgreSQL: a small pool, bounded waits, errors told apart. */
export class Database {
  readonly #pool: pg.Pool;
  readonly #config: pg.PoolConfig;

  constructor(connection: pg.PoolConfig) {
    this.#config = {
      application_name: applicationName,
      keepAlive: true,
      connectionTimeoutMillis: 10_000,
      ...connection,
    };
    this.#pool = new pg.Pool({
      max: 6,
      // Bounds a call whose server is gone without a word; the broken connection is thrown away.
      query_timeout: 15_000,
      statement_timeout: 12_000,
      ...this.#config,
    });
    // An idle connection that dies is replaced at the next use; unheard, the event would end the process.
    this.#pool.on('error', () => undefined);
  }

  /** One statement, in a transaction of its own. */
  readonly query: Sql = async <Row>(sql: string, values: readonly unknown[] = []) => {
    try {
      const result = await this.#pool.query(typed(sql, values));
      return result.rows as Row[];
    } catch (error) {
      throw asLogError(error);
    }
  };

  /** Several statements in one transaction. Only for what may fail halfway without harm: schema, topics, maintenance. */
  async transaction<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
    let client: pg.PoolClient;
    try {
      client = await this.#pool.connect();
    } catch (error) {
      throw asLogError(error);
    }
    let broken: Error | undefined;
    // A connection cut between two statements is told by an event, and by the next statement.
    const onError = (error: Error) => {
      broken = error;
    };
    client.on('error', onError);
    try {
      await client.query('BEGIN');
      // A process that is stopped between two statements must not keep its locks.
      await client.query(
        `SET LOCAL statement_timeout = ${longQueryMs}; SET LOCAL idle_in_transaction_session_timeout = ${idleMs}`,
      );
      const answer = await work(async <Row>(sql: string, values: readonly unknown[] = []) => {
        const query = { text: sql, query_timeout: longQueryMs } as pg.QueryConfig;
        // Without values the simple protocol is used, which takes several statements at once.
        if (values.length === 0 && !/^\s*SELECT/i.test(sql)) return (await client.query(query)).rows as Row[];
        return (await client.query({ ...query, ...typed(sql, values) })).rows as Row[];
      });
      await client.query('COMMIT');
      return answer;
    } catch (error) {
      await client.query('ROLLBACK').catch((failure: Error) => {
        broken = failure;
      });
      throw asLogError(error);
    } finally {
      client.removeListener('error', onError);
      client.release(broken);
    }
  }

  /** A connection outside the pool, for LISTEN. */
  client(): pg.Client {
    return new pg.Client(this.#config);
  }

  async close(): Promise<void> {
    await this.#pool.end();
  }
}

const typed = (sql: string, values: readonly unknown[]): pg.QueryConfig => ({
  text: sql,
  values: [...values],
  types: valueTypes,
});

/** SQLSTATE of a database error, or undefined. */
export const sqlStateOf = (error: unknown): string | undefined =>
  error instanceof pg.DatabaseError ? error.code : error instanceof Error ? sqlStateOf(error.cause) : undefined;

/**
 * Errors that say something about the connection or the server's condition become {@link LogUnavailableError}: classes
 * 08 connection, 40 rollback, 53 resources, 55 not available now, 57 intervention, 58 system, and all that are not the
 * server's at all. The others (a wrong statement, our own codes) pass.
 */
function asLogError(error: unknown): unknown {
  if (error instanceof EventLogError) return error;
  if (error instanceof pg.DatabaseError && !/^(08|40|53|55|57|58)/.test(error.code ?? '')) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new LogUnavailableError(`PostgreSQL: ${message}`, { cause: error });
}

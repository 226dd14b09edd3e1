import pg from 'pg';
import { backoffMs } from '../backoff.ts';
import { sleep } from '../sleep.ts';
import { sqlStatesOf } from './contention.ts';
import { createDataSource, type DatabaseOptions } from './data-source.ts';

export interface MigrateOptions extends Pick<DatabaseOptions, 'databaseUrl' | 'schema' | 'migrations'> {
  /** Told of each try that others stood in the way of; what waits behind it must not wait without a word. */
  readonly onWait: (why: { readonly attempt: number; readonly waitMs: number; readonly error: Error }) => void;
  /**
   * How long a statement waits for a lock, in ms. Whoever comes after a statement that waits for a lock on a table waits
   * too: it must give in soon, and let them through. Default 3,000.
   */
  readonly lockMs?: number;
  /** Waits between tries. Default from 500 ms to 15 s. */
  readonly backoff?: { readonly firstMs: number; readonly maxMs: number };
}

/** A lock that is not given, a deadlock, a statement cancelled by a person or a setting: trying again helps. */
const IN_THE_WAY = new Set(['55P03', '40P01', '57014']);

/**
 * Makes the schema and brings its tables up to date, however long that takes: a large table may be rewritten. Replicas
 * that start together wait for one another on an advisory lock; it hangs on a connection of its own and falls with it.
 * While others stand in the way (a replica of before at work, a backup) it tries again, without a cap: each migration is
 * a transaction, and those that are done stay done.
 */
export async function migrate(options: MigrateOptions): Promise<void> {
  const { databaseUrl, schema, migrations, backoff = { firstMs: 500, maxMs: 15_000 } } = options;
  const client = new pg.Client({
    connectionString: databaseUrl,
    application_name: `tidemark-${schema}-migrations`,
    options: '-c statement_timeout=0 -c lock_timeout=0',
  });
  await client.connect();
  const limits = { statementMs: 0, lockMs: options.lockMs ?? 3_000 };
  const dataSource = createDataSource({
    databaseUrl,
    schema,
    migrations,
    poolSize: 2,
    limits,
    onIdleError: () => undefined,
  });
  try {
    await client.query('SELECT pg_advisory_lock(hashtextextended($1, 0))', [`tidemark migrations ${schema}`]);
    await client.query(`CREATE SCHEMA IF NOT EXISTS ${client.escapeIdentifier(schema)}`);
    await dataSource.initialize();
    for (let attempt = 1; ; attempt++) {
      try {
        await dataSource.runMigrations({ transaction: 'each' });
        return;
      } catch (error) {
        if (!sqlStatesOf(error).some((state) => IN_THE_WAY.has(state))) throw error;
        const waitMs = backoffMs(attempt, backoff);
        options.onWait({ attempt, waitMs, error: error as Error });
        await sleep(waitMs);
      }
    }
  } finally {
    if (dataSource.isInitialized) await dataSource.destroy();
    await client.end();
  }
}

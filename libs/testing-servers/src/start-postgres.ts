import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { askRun } from './ask-run.ts';
import { postgresOfThisProcess, stopServersOfThisProcess } from './servers-in-this-process.ts';

export interface TestPostgres {
  /** Connection URL of an empty database that nobody else uses. */
  readonly url: string;
  /** Name of that database. */
  readonly database: string;
  /** Drops the database, cutting whoever is still connected; the server too, when this process started it for itself. */
  stop(): Promise<void>;
}

/**
 * A fresh, empty database on a real PostgreSQL 18. In a test run all files share one server, which the run starts and
 * stops; elsewhere (a bench, a script) the process gets its own.
 */
export async function startPostgres(): Promise<TestPostgres> {
  const shared = await askRun<string>('postgres');
  const server = shared ?? (await postgresOfThisProcess()).url;
  const database = `test_${randomBytes(6).toString('hex')}`;
  await execute(server, `CREATE DATABASE ${database}`);
  const url = new URL(server);
  url.pathname = `/${database}`;
  return {
    url: url.href,
    database,
    async stop() {
      if (shared === undefined) await stopServersOfThisProcess();
      else await execute(server, `DROP DATABASE IF EXISTS ${database} WITH (FORCE)`);
    },
  };
}

async function execute(url: string, sql: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}

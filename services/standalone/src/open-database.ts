import { startBundledPostgres } from '@tidemark/bundled-postgres';
import pg from 'pg';

export interface Database {
  /** Names the database of this installation; holds a password. */
  readonly url: string;
  /** True when a server that an earlier run left behind was taken over. */
  readonly adopted: boolean;
  close(): Promise<void>;
}

/** Another process runs on the same database. */
export class AlreadyRunningError extends Error {
  constructor() {
    super('another Tidemark runs on this data folder or database; stop it, or name another data folder');
    this.name = 'AlreadyRunningError';
  }
}

const DATABASE = 'tidemark';

/**
 * The database that all services share: the one named by `url`, else the bundled server on `folder`, whose orphan of an
 * earlier run is taken over. Held by a session lock, so that two processes never run one installation.
 *
 * @throws AlreadyRunningError
 * @throws BundledPostgresError
 */
export async function openDatabase(options: { url: string | undefined; folder: string }): Promise<Database> {
  if (options.url !== undefined) {
    const lock = await holdLock(options.url);
    return { url: options.url, adopted: false, close: () => lock.end() };
  }
  const server = await startBundledPostgres({ folder: options.folder });
  try {
    const url = await createDatabase(server.url);
    const lock = await holdLock(url);
    return {
      url,
      adopted: server.adopted,
      close: async () => {
        await lock.end();
        await server.stop();
      },
    };
  } catch (error) {
    // A server that another process uses is not ours to stop.
    if (!(error instanceof AlreadyRunningError)) await server.stop();
    throw error;
  }
}

async function createDatabase(serverUrl: string): Promise<string> {
  const client = new pg.Client({ connectionString: serverUrl });
  await client.connect();
  try {
    const { rowCount } = await client.query('SELECT FROM pg_database WHERE datname = $1', [DATABASE]);
    if (rowCount === 0) await client.query(`CREATE DATABASE ${DATABASE}`);
  } finally {
    await client.end();
  }
  const url = new URL(serverUrl);
  url.pathname = `/${DATABASE}`;
  return url.href;
}

/** After a kill the server needs a moment to see that the old process's connection is gone. */
const LOCK_PATIENCE_MS = 5_000;

async function holdLock(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url, keepAlive: true });
  client.on('error', () => undefined);
  await client.connect();
  const until = Date.now() + LOCK_PATIENCE_MS;
  for (;;) {
    const { rows } = await client.query<{ held: boolean }>(
      "SELECT pg_try_advisory_lock(hashtextextended('tidemark standalone', 0)) AS held",
    );
    if (rows[0]?.held) return client;
    if (Date.now() > until) {
      await client.end();
      throw new AlreadyRunningError();
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

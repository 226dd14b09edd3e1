import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { Ailment, type Finding, finding } from './finding.ts';

/** Server settings are read as the runtime reads them; older servers than this were never tried. */
const OLDEST_SERVER = 15;
const TESTED_SERVER = 18;
/** Half of a lease of the relay: beyond it times in logs and events mislead, although leases follow the database alone. */
const MAX_SKEW_MS = 3_000;
/** Connections of nine services with a pool of 6, a listener and a migration each, and a second `execute`. */
const WANTED_CONNECTIONS = 80;

const NOT_NAMED = 'none is named; `npm start` brings its own';

export async function examineDatabase(url: string | undefined): Promise<Finding[]> {
  if (url === undefined) return [{ check: 'database', ok: true, found: NOT_NAMED }];
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: 5_000,
    application_name: 'tidemark-doctor',
  });
  client.on('error', () => undefined);
  const reach = await finding(
    'database',
    'Start PostgreSQL, or correct TIDEMARK_DATABASE_URL (host, port, user, password, database).',
    async () => {
      await client.connect();
      return await version(client);
    },
  );
  if (!reach.ok) {
    await client.end().catch(() => undefined);
    return [reach];
  }
  try {
    return [
      reach,
      await finding('database rights', 'Look at the error of PostgreSQL.', () => rights(client)),
      await finding('database room', 'Look at the error of PostgreSQL.', () => room(client)),
      await finding('clock', 'Look at the error of PostgreSQL.', () => clock(client)),
    ];
  } finally {
    await client.end();
  }
}

async function one<Row>(client: pg.Client, sql: string): Promise<Row> {
  const { rows } = await client.query(sql);
  return rows[0] as Row;
}

async function version(client: pg.Client): Promise<string> {
  const { number, name } = await one<{ number: string; name: string }>(
    client,
    `SELECT current_setting('server_version_num') AS number, current_setting('server_version') AS name`,
  );
  const major = Math.floor(Number(number) / 10_000);
  if (major < OLDEST_SERVER) {
    throw new Ailment(
      `PostgreSQL ${name}`,
      `Upgrade it: ${OLDEST_SERVER} or newer is needed, ${TESTED_SERVER} is what the tests run on.`,
    );
  }
  return `PostgreSQL ${name}`;
}

/** Each service makes its own schema at its first start. */
async function rights(client: pg.Client): Promise<string> {
  const { may, who, where, writable } = await one<{ may: boolean; who: string; where: string; writable: boolean }>(
    client,
    `SELECT has_database_privilege(current_database(), 'CREATE') AS may, current_user AS who, current_database() AS where,
       NOT pg_is_in_recovery() AS writable`,
  );
  if (!writable)
    throw new Ailment('the server is a standby and takes no writes', 'Name the primary in TIDEMARK_DATABASE_URL.');
  if (!may) {
    throw new Ailment(
      `${who} may not make schemas in ${where}`,
      `As the owner of the database: GRANT CREATE ON DATABASE ${where} TO ${who}`,
    );
  }
  return `${who} may make schemas in ${where}`;
}

async function room(client: pg.Client): Promise<string> {
  const { limit, used } = await one<{ limit: number; used: number }>(
    client,
    `SELECT current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int AS limit,
       (SELECT count(*)::int FROM pg_stat_activity
        WHERE backend_type = 'client backend' AND application_name NOT LIKE 'tidemark-%') AS used`,
  );
  const free = limit - used;
  if (free < WANTED_CONNECTIONS) {
    throw new Ailment(
      `${free} connections are left for Tidemark`,
      `Raise max_connections, or lower TIDEMARK_POOL_SIZE: each replica takes the pool and 2 more; one of each service with the default takes ${WANTED_CONNECTIONS}.`,
    );
  }
  return `${free} of ${limit} connections are left for Tidemark`;
}

async function clock(client: pg.Client): Promise<string> {
  const skews: number[] = [];
  for (let look = 0; look < 3; look++) {
    const before = Date.now();
    const { now } = await one<{ now: number }>(
      client,
      'SELECT extract(epoch FROM clock_timestamp())::float8 * 1000 AS now',
    );
    skews.push(now - (before + Date.now()) / 2);
    await delay(10);
  }
  const skew = skews.sort((a, b) => Math.abs(a) - Math.abs(b))[0] ?? 0;
  const words = `${Math.abs(Math.round(skew))} ms ${skew < 0 ? 'ahead of' : 'behind'} the database`;
  if (Math.abs(skew) > MAX_SKEW_MS) {
    throw new Ailment(words, 'Let both machines follow a time server: timedatectl set-ntp true (or chrony, ntpd).');
  }
  return words;
}

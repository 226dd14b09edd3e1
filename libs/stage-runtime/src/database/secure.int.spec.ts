import { openEmbeddedEventLog, topics } from '@tidemark/event-log';
import { makeCertificate, startOwnPostgres, type TestCertificate } from '@tidemark/testing-servers';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDataSource } from './data-source.ts';
import { migrate } from './migrate.ts';

type Server = Awaited<ReturnType<typeof startOwnPostgres>>;

/** PostgreSQL with a certificate of our own, as an address of a service names it. */
describe('PostgreSQL over TLS', () => {
  let server: Server;
  let certificate: TestCertificate;
  let secure: string;

  beforeAll(async () => {
    certificate = makeCertificate();
    server = await startOwnPostgres();
    const client = new pg.Client({ connectionString: server.url });
    await client.connect();
    // Its folder belongs to the server's user: the server writes the files itself.
    const write = async (text: string, file: string) => {
      const { rows } = await client.query<{ folder: string }>("SELECT current_setting('data_directory') AS folder");
      const to = `${rows[0]?.folder}/${file}`;
      await client.query('CREATE TEMP TABLE IF NOT EXISTS lines (n serial, line text)');
      await client.query('TRUNCATE lines');
      await client.query('INSERT INTO lines (line) SELECT unnest($1::text[])', [text.trim().split('\n')]);
      await client.query(`COPY (SELECT line FROM lines ORDER BY n) TO '${to}'`);
      return to;
    };
    await client.query(`ALTER SYSTEM SET ssl_cert_file = '${await write(certificate.cert, 'tls.crt')}'`);
    const key = await write(certificate.key, 'tls.key');
    await client.query(`COPY (SELECT 1) TO PROGRAM 'chmod 600 ${key}'`);
    await client.query(`ALTER SYSTEM SET ssl_key_file = '${key}'`);
    await client.query("ALTER SYSTEM SET ssl = 'on'");
    await client.query('SELECT pg_reload_conf()');
    await client.end();
    secure = `${server.url}?sslmode=verify-full&sslrootcert=${certificate.certFile}`;
  });
  afterAll(() => server.stop());

  const sessions = async (like: string) => {
    const client = new pg.Client({ connectionString: server.url });
    await client.connect();
    const { rows } = await client.query<{ ssl: boolean }>(
      'SELECT s.ssl FROM pg_stat_ssl s JOIN pg_stat_activity a USING (pid) WHERE a.application_name LIKE $1',
      [like],
    );
    await client.end();
    return rows.map(({ ssl }) => ssl);
  };

  it("carries a service's schema and its log", async () => {
    const settings = {
      databaseUrl: secure,
      schema: 'dedup',
      poolSize: 3,
      migrations: [],
      onIdleError: () => undefined,
    };
    const source = createDataSource(settings);
    await source.initialize();
    await migrate({ databaseUrl: secure, schema: 'dedup', migrations: [], onWait: () => undefined });
    expect(await sessions('tidemark-dedup%')).toContain(true);
    expect(await sessions('tidemark-dedup%')).not.toContain(false);
    await source.destroy();
    const log = await openEmbeddedEventLog({ connection: { connectionString: secure } });
    await log.admin.ensureTopics([
      { name: topics.problemsRaw.name, partitions: 1, cleanup: 'compact', retentionMs: 1_000, logAppendTime: false },
    ]);
    await log.close();
  });

  it('is refused where nobody vouches for the server', async () => {
    const stranger = makeCertificate('stranger');
    const url = `${server.url}?sslmode=verify-full&sslrootcert=${stranger.certFile}`;
    const client = new pg.Client({ connectionString: url });
    await expect(client.connect()).rejects.toThrow(/self-signed|certificate/i);
  });
});

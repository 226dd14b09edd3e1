import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startPostgres, type TestPostgres } from './index.ts';

describe('startPostgres', () => {
  let one: TestPostgres;
  let other: TestPostgres;
  beforeAll(async () => {
    [one, other] = await Promise.all([startPostgres(), startPostgres()]);
  });
  afterAll(async () => {
    await Promise.all([one.stop(), other.stop()]);
  });

  it('gives each caller an empty database of one real server', async () => {
    await ask(one.url, 'CREATE TABLE t (x int)');
    expect(await ask(one.url, "SELECT count(*)::int AS n FROM pg_tables WHERE schemaname = 'public'")).toEqual([
      { n: 1 },
    ]);
    expect(await ask(other.url, "SELECT count(*)::int AS n FROM pg_tables WHERE schemaname = 'public'")).toEqual([
      { n: 0 },
    ]);
    expect(new URL(one.url).port).toBe(new URL(other.url).port);
    const [row] = await ask(one.url, "SELECT current_setting('server_version_num')::int AS v");
    expect(row?.['v']).toBeGreaterThanOrEqual(180_000);
  });

  it('drops the database when it is stopped, also while somebody is connected', async () => {
    const brief = await startPostgres();
    const client = new Client({ connectionString: brief.url });
    client.on('error', () => undefined);
    await client.connect();
    await brief.stop();
    const left = await ask(one.url, `SELECT datname FROM pg_database WHERE datname = '${brief.database}'`);
    expect(left).toEqual([]);
  });
});

async function ask(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
}

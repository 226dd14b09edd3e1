import { startPostgres, type TestPostgres } from '@tidemark/testing-servers';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { examineBroker } from './examine-broker.ts';
import { examineDatabase } from './examine-database.ts';
import { examineDisk } from './examine-disk.ts';
import { examineJudge } from './examine-judge.ts';

let postgres: TestPostgres;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres.stop());

/** Of what is wrong, what was found and what to do. */
const ills = (findings: readonly { ok: boolean; found: string; todo?: string }[]) =>
  findings.filter(({ ok }) => !ok).map(({ found, todo }) => `${found} → ${todo}`);

describe('the doctor', () => {
  it('finds nothing wrong with a database that will do', async () => {
    const findings = await examineDatabase(postgres.url);
    expect(ills(findings)).toEqual([]);
    expect(findings.map(({ check }) => check)).toEqual(['database', 'database rights', 'database room', 'clock']);
    expect(findings[3]?.found).toMatch(/^\d+ ms (ahead of|behind) the database$/);
  });

  it('says why a database will not do, and what to do', async () => {
    const url = new URL(postgres.url);
    url.port = '9';
    expect(ills(await examineDatabase(url.href))).toEqual([
      expect.stringMatching(/ECONNREFUSED.*→ Start PostgreSQL, or correct TIDEMARK_DATABASE_URL/),
    ]);
    const client = new pg.Client({ connectionString: postgres.url });
    await client.connect();
    await client.query(`CREATE ROLE ${postgres.database} LOGIN PASSWORD 'guest-of-the-spec'`);
    try {
      const guest = new URL(postgres.url);
      guest.username = postgres.database;
      guest.password = 'guest-of-the-spec';
      expect(ills(await examineDatabase(guest.href))).toEqual([
        expect.stringMatching(/may not make schemas.*→.*GRANT CREATE/),
      ]);
      guest.password = 'wrong';
      expect(ills(await examineDatabase(guest.href))).toEqual([
        expect.stringMatching(/password authentication failed/),
      ]);
    } finally {
      await client.query(`DROP ROLE ${postgres.database}`);
      await client.end();
    }
  });

  it('says that a broker is away', async () => {
    expect(ills([await examineBroker({ TIDEMARK_KAFKA_BROKERS: '127.0.0.1:9' })])).toEqual([
      expect.stringMatching(/→.*broker/),
    ]);
    expect((await examineBroker({})).ok).toBe(true);
  });

  it('tries the sandbox and looks for languages', async () => {
    expect(ills(await examineJudge({}))).toEqual([]);
    expect(
      ills(await examineJudge({ TIDEMARK_EXECUTE_PYTHON: 'no-such-python', TIDEMARK_EXECUTE_BWRAP: '/no/bwrap' })),
    ).toEqual([expect.stringContaining('/no/bwrap'), expect.stringMatching(/no-such-python.*→ Install it/)]);
  });

  it('looks for room on the disk, also where the folder is not made yet', async () => {
    expect((await examineDisk('data', '/tmp/of/the/future')).found).toMatch(/GiB free below \/tmp$/);
    // A file system without any room.
    expect(ills([await examineDisk('data', '/proc/data')])).toEqual([expect.stringMatching(/0\.0 GiB.*→ Make room/)]);
  });
});

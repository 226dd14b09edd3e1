import { startPostgres, type TestPostgres } from '@tidemark/testing-servers';
import pg from 'pg';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PATIENCE } from '../testing/patience.ts';
import { migrate, type MigrateOptions } from './migrate.ts';

class Things1750000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE TABLE things AS SELECT current_setting('statement_timeout') AS statement_timeout`);
  }
  async down(): Promise<void> {}
}

class Wider1750000100000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE things ADD COLUMN more text');
  }
  async down(): Promise<void> {}
}

class Broken1750000200000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE nowhere ADD COLUMN more text');
  }
  async down(): Promise<void> {}
}

describe('migrations', () => {
  let postgres: TestPostgres;
  let client: pg.Client;
  beforeAll(async () => {
    postgres = await startPostgres();
    client = await connected();
  });
  afterAll(async () => {
    await client.end();
    await postgres.stop();
  });

  const connected = async () => {
    const made = new pg.Client({ connectionString: postgres.url });
    await made.connect();
    return made;
  };
  const run = (schema: string, migrations: MigrateOptions['migrations'], onWait: MigrateOptions['onWait'] = () => {}) =>
    migrate({
      databaseUrl: postgres.url,
      schema,
      migrations,
      onWait,
      lockMs: 100,
      backoff: { firstMs: 20, maxMs: 100 },
    });
  const columns = async (schema: string) => {
    const { rows } = await client.query<{ name: string }>(
      `SELECT column_name AS name FROM information_schema.columns
       WHERE table_schema = $1 AND table_name = 'things' ORDER BY 1`,
      [schema],
    );
    return rows.map(({ name }) => name);
  };

  it('may take as long as they take', async () => {
    await run('long', [Things1750000000000]);
    expect((await client.query('SELECT statement_timeout FROM long.things')).rows).toEqual([
      { statement_timeout: '0' },
    ]);
  });

  it('wait for whoever uses the table, say so, and let others at it meanwhile', async () => {
    await run('used', [Things1750000000000]);
    const user = await connected();
    await user.query('BEGIN; SELECT * FROM used.things');
    const told: (string | undefined)[] = [];
    const migrating = run('used', [Things1750000000000, Wider1750000100000], ({ error }) => told.push(error.message));
    await expect.poll(() => told.length, PATIENCE).toBeGreaterThan(2);
    expect(told[0]).toContain('lock timeout');
    // Behind a statement that waits for the table without an end nobody would come to read it.
    await client.query("SET statement_timeout = '20s'");
    expect((await client.query('SELECT * FROM used.things')).rowCount).toBe(1);
    expect(await columns('used')).toEqual(['statement_timeout']);
    await user.query('COMMIT');
    await migrating;
    expect(await columns('used')).toEqual(['more', 'statement_timeout']);
    await user.end();
  });

  it('that were cancelled are tried again', async () => {
    await run('cancelled', [Things1750000000000]);
    const user = await connected();
    await user.query('BEGIN; LOCK TABLE cancelled.things');
    const told: string[] = [];
    const migrating = migrate({
      databaseUrl: postgres.url,
      schema: 'cancelled',
      migrations: [Things1750000000000, Wider1750000100000],
      onWait: ({ error }) => told.push(error.message),
      lockMs: 60_000,
      backoff: { firstMs: 20, maxMs: 100 },
    });
    const cancel = async () => {
      await client.query(
        `SELECT pg_cancel_backend(pid) FROM pg_stat_activity
         WHERE query LIKE 'ALTER TABLE things ADD%' AND wait_event_type = 'Lock'`,
      );
      return told.length;
    };
    await expect.poll(cancel, PATIENCE).toBeGreaterThan(0);
    await user.query('COMMIT');
    await migrating;
    expect(told[0]).toContain('canceling statement due to user request');
    expect(await columns('cancelled')).toEqual(['more', 'statement_timeout']);
    await user.end();
  });

  it('that are wrong fail at once, and what was done before them stays done', async () => {
    const told: unknown[] = [];
    const wrong = run('wrong', [Things1750000000000, Broken1750000200000], (why) => told.push(why));
    await expect(wrong).rejects.toThrow('nowhere');
    expect(told).toEqual([]);
    expect(await columns('wrong')).toEqual(['statement_timeout']);
  });

  it('are done once, by one replica at a time', async () => {
    await Promise.all(Array.from({ length: 3 }, () => run('score', [Things1750000000000])));
    const { rows } = await client.query<{ name: string }>('SELECT name FROM score.migrations');
    const names = rows.map(({ name }) => name);
    expect(names).toContain('Things1750000000000');
    expect(new Set(names).size).toBe(names.length);
  });
});

import { startPostgres } from '@tidemark/testing-servers';
import { Client } from 'pg';
import { type Bench, round, spreadOf } from './bench.ts';

const ROUNDS = 7;
const ROWS = 5_000;
/** A row as the stages write them: a key, a version, some text. */
const PAYLOAD = 'x'.repeat(200);

/** What the rule "all SQL is set-based" buys: one statement over arrays, against one statement a row. */
export const bench: Bench = {
  asks: `How much faster is one upsert of ${ROWS} rows by unnest than ${ROWS} upserts of one row, in one transaction each?`,
  async measure() {
    const postgres = await startPostgres();
    const client = new Client({ connectionString: postgres.url });
    await client.connect();
    try {
      await client.query('CREATE TABLE item (id text PRIMARY KEY, version int NOT NULL, body text NOT NULL)');
      const bulk: number[] = [];
      const single: number[] = [];
      const ratios: number[] = [];
      // Taking turns, so that a busy neighbour slows both. Half of the rows of each round are there already.
      for (let round = 0; round < ROUNDS; round++) {
        const ids = Array.from({ length: ROWS }, (_, index) => `problem-${(round * ROWS) / 2 + index}`);
        await client.query('TRUNCATE item');
        await upsertInBulk(client, ids.slice(0, ROWS / 2));
        const inBulk = await seconds(async () => upsertInBulk(client, ids));
        await client.query('TRUNCATE item');
        await upsertInBulk(client, ids.slice(0, ROWS / 2));
        const oneByOne = await seconds(async () => upsertOneByOne(client, ids));
        bulk.push(ROWS / inBulk);
        single.push(ROWS / oneByOne);
        ratios.push(oneByOne / inBulk);
      }
      const version = await client.query<{ server_version: string }>('SHOW server_version');
      return {
        ratio: spreadOf(ratios),
        bulkRowsPerSecond: spreadOf(bulk),
        oneByOneRowsPerSecond: spreadOf(single),
        rows: round(ROWS),
        server: `PostgreSQL ${version.rows[0]?.server_version ?? ''}, fsync off, loopback`,
      };
    } finally {
      await client.end();
      await postgres.stop();
    }
  },
};

const SET = 'ON CONFLICT (id) DO UPDATE SET version = item.version + 1, body = excluded.body RETURNING version';

async function upsertInBulk(client: Client, ids: readonly string[]): Promise<void> {
  await client.query('BEGIN');
  await client.query(`INSERT INTO item SELECT * FROM unnest($1::text[], $2::int[], $3::text[]) ${SET}`, [
    ids,
    ids.map(() => 1),
    ids.map(() => PAYLOAD),
  ]);
  await client.query('COMMIT');
}

async function upsertOneByOne(client: Client, ids: readonly string[]): Promise<void> {
  await client.query('BEGIN');
  // A prepared statement: the parser's work is not what is compared.
  for (const id of ids)
    await client.query({ name: 'one', text: `INSERT INTO item VALUES ($1, $2, $3) ${SET}`, values: [id, 1, PAYLOAD] });
  await client.query('COMMIT');
}

async function seconds(work: () => Promise<void>): Promise<number> {
  const began = performance.now();
  await work();
  return (performance.now() - began) / 1_000;
}

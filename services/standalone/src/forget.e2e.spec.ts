import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { zstdDecompressSync } from 'node:zlib';
import { problemIdOf } from '@tidemark/identity';
import { startPostgres, type TestPostgres } from '@tidemark/testing-servers';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Standalone, startStandalone } from './start-standalone.ts';

const PATIENCE = { timeout: 120_000, interval: 250 };
const folder = mkdtempSync(join(tmpdir(), 'tidemark-forget-'));
let postgres: TestPostgres;
let pool: pg.Pool;
let standalone: Standalone;

beforeAll(async () => {
  chmodSync(folder, 0o755);
  postgres = await startPostgres();
  pool = new pg.Pool({ connectionString: postgres.url, max: 2 });
  pool.on('error', () => undefined);
  standalone = await startStandalone({
    dataFolder: folder,
    defaultFolders: [],
    databaseUrl: postgres.url,
    host: '127.0.0.1',
    port: 0,
    logLevel: 'silent',
    env: { TIDEMARK_DEDUP_HELD_OUT_SHARE: '0' },
  });
});
afterAll(async () => {
  await standalone?.stop();
  await pool?.end();
  await postgres?.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function ask(path: string, method = 'GET', body?: string): Promise<string> {
  const answer = await fetch(`${standalone.url}${path}`, { method, ...(body !== undefined && { body }) });
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
  return await answer.text();
}
const json = async (path: string, method = 'GET', body?: object) =>
  JSON.parse(await ask(path, method, body && JSON.stringify(body))) as Record<string, unknown>;

const STATEMENT =
  'Rotate the peculiar heirloom by its own secret amount and print how far it went, whatever the weather.';
/** Large enough for blobs of its own. */
const record = (id: string, peculiar: string) =>
  `${JSON.stringify({
    format: 'tidemark.problem.v1',
    namespace: 'acme',
    id,
    statement: `${STATEMENT}${peculiar}`,
    language: 'python',
    references: [{ language: 'python', code: 'print(len(input()))' }],
    tests: {
      form: 'stdin',
      cases: Array.from({ length: 3 }, (_, n) => ({
        input: `${'heirloom '.repeat(900 + n)}`,
        expected: String(9 * (900 + n)),
      })),
    },
  })}\n`;
const stateOf = async (id: string) => {
  const answer = await fetch(`${standalone.url}/v1/problems/${id}`);
  return answer.ok ? ((await answer.json()) as { state?: string }).state : `status ${answer.status}`;
};

/** Everything that holds a text: read by means of its own. */
async function holders(text: string): Promise<string[]> {
  const found: string[] = [];
  const { rows: tables } = await pool.query<{ schema: string; table: string }>(
    `SELECT schemaname AS schema, tablename AS table FROM pg_tables
     WHERE schemaname NOT IN ('pg_catalog', 'information_schema')`,
  );
  const hex = Buffer.from(text).toString('hex');
  for (const { schema, table } of tables) {
    // A whole row as text shows bytes as hexadecimal digits.
    const { rowCount } = await pool.query(
      `SELECT 1 FROM "${schema}"."${table}" AS r WHERE position($1 IN r::text) > 0 OR position($2 IN r::text) > 0`,
      [text, hex],
    );
    if ((rowCount ?? 0) > 0) found.push(`${schema}.${table}`);
  }
  const files = readdirSync(standalone.folder.blobs, { recursive: true, withFileTypes: true });
  for (const file of files.filter((each) => each.isFile())) {
    if (zstdDecompressSync(readFileSync(join(file.parentPath, file.name))).includes(text)) found.push(file.name);
  }
  return found;
}

async function forget(id: string): Promise<Record<string, unknown>> {
  const { command_id: command } = await json('/v1/forget', 'POST', { problem_id: id });
  const find = () => json(`/v1/commands/${String(command)}`);
  await expect.poll(async () => (await find()).outcome, PATIENCE).not.toBe('waiting');
  return await find();
}

describe('a problem that is forgotten', () => {
  it('is in no table, topic, letter or blob any more; its duplicate takes its place; offered anew it is new', async () => {
    const PECULIAR = ' The heirloom of the seventh aunt hums at noon.';
    const names = ['secret-record-1', 'secret-record-2'];
    await ask('/v1/targets/model', 'PUT', '{}');
    await ask('/v1/targets/model/checkpoints', 'POST', JSON.stringify({ checkpoint: 'step-1' }));
    for (const each of names)
      await ask(`/v1/problems?source_file=file-of-${each.slice(-1)}.jsonl`, 'POST', record(each, PECULIAR));
    const states = () => Promise.all(names.map((each) => stateOf(problemIdOf('acme', each))));
    await expect.poll(async () => (await states()).sort(), PATIENCE).toEqual(['ready', 'rejected']);
    if ((await states())[0] === 'rejected') names.reverse();
    const [name = '', other = ''] = names;
    const [id, duplicate] = [problemIdOf('acme', name), problemIdOf('acme', other)];
    const group = {
      format: 'tidemark.rollouts.v1',
      group: 'group-1',
      target: 'model',
      checkpoint: 'step-1',
      problem: id,
      attempts: [
        { output: '```python\nprint("the aunt hums")\n```' },
        { output: '```python\nprint(len(input()))\n```' },
      ],
    };
    await ask('/v1/rollouts?source_file=groups.jsonl', 'POST', `${JSON.stringify(group)}\n`);
    await expect
      .poll(
        async () => (await pool.query('SELECT 1 FROM gateway.graded_group WHERE problem_id = $1', [id])).rowCount,
        PATIENCE,
      )
      .toBe(1);
    expect((await holders(id)).length).toBeGreaterThan(20);

    const command = await forget(id);
    expect(command).toMatchObject({
      outcome: 'done',
      message: expect.stringMatching(/^Forgotten\. A search of .* found nothing\.$/),
    });
    expect(JSON.stringify(command)).not.toContain(id);
    expect(await holders(id)).toEqual([]);
    expect(await holders(name)).toEqual([]);
    expect(await holders('the aunt hums')).toEqual([]);
    expect(await stateOf(id)).toBe('status 404');
    expect(await (await fetch(`${standalone.url}/v1/audit`)).text()).not.toContain(id);

    // The other one is the same text, and nobody's but its own.
    await expect.poll(() => stateOf(duplicate), PATIENCE).toBe('ready');
    expect(await forget(duplicate)).toMatchObject({ outcome: 'done' });
    expect(await holders('the seventh aunt hums')).toEqual([]);
    expect(await holders('heirloom heirloom')).toEqual([]);

    await ask('/v1/topics/problems.intake.v1/offsets', 'POST', JSON.stringify({ service: 'ingest', to: 'start' }));
    await ask('/v1/problems', 'POST', record(name, PECULIAR));
    await expect.poll(() => stateOf(id), PATIENCE).toBe('ready');
    expect(await stateOf(duplicate)).toBe('status 404');
    expect(await forget(id)).toMatchObject({ outcome: 'done' });
    expect(await holders(id)).toEqual([]);
  }, 400_000);
});

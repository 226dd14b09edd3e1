import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type BundledPostgres, readPostmaster, startBundledPostgres } from './index.ts';

const FOR_SPEED = { fsync: 'off', shared_buffers: '16MB', max_connections: '10' };
const asRoot = process.getuid?.() === 0;

describe('startBundledPostgres', () => {
  let home: string;
  const running: BundledPostgres[] = [];
  const start = async (folder = join(home, 'db'), settings = {}): Promise<BundledPostgres> => {
    const server = await startBundledPostgres({ folder, settings: { ...FOR_SPEED, ...settings } });
    running.push(server);
    return server;
  };

  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'tidemark-bundled-postgres-'));
    chmodSync(home, 0o755);
  });
  afterEach(async () => {
    await Promise.all(running.splice(0).map(async (server) => server.stop()));
    rmSync(home, { recursive: true, force: true, maxRetries: 5 });
  });

  it('keeps what was stored over a stop, on loopback alone', async () => {
    const first = await start();
    await ask(first.url, 'CREATE TABLE kept AS SELECT 7 AS x');
    await first.stop();
    expect(readPostmaster(join(home, 'db', 'data'))).toBeUndefined();
    const second = await start();
    expect(second.adopted).toBe(false);
    expect(await ask(second.url, 'SELECT x FROM kept')).toEqual([{ x: 7 }]);
    expect(await ask(second.url, 'SHOW listen_addresses')).toEqual([{ listen_addresses: '127.0.0.1' }]);
  });

  it('adopts the server that a killed process left on the folder', async () => {
    const left = await start();
    const adopted = await start();
    expect(adopted).toMatchObject({ adopted: true, pid: left.pid, url: left.url });
    await adopted.stop();
    expect(readPostmaster(join(home, 'db', 'data'))).toBeUndefined();
  });

  it('recovers after the server itself was killed, its sessions still there', async () => {
    const first = await start();
    await ask(first.url, 'CREATE TABLE kept AS SELECT 7 AS x');
    const session = new Client({ connectionString: first.url });
    session.on('error', () => undefined);
    await session.connect();
    process.kill(first.pid, 'SIGKILL');
    const second = await start();
    expect(second.pid).not.toBe(first.pid);
    expect(await ask(second.url, 'SELECT x FROM kept')).toEqual([{ x: 7 }]);
    await session.end().catch(() => undefined);
  });

  it('waits for a killed server whose parent has not noticed yet', async () => {
    const first = await start();
    await first.stop();
    const pidFile = join(home, 'db', 'data', 'postmaster.pid');
    // A child that nobody waits for keeps its number, until its parent ends.
    const parent = spawn('bash', ['-c', 'true & echo $!; exec sleep 2'], { stdio: ['ignore', 'pipe', 'ignore'] });
    const [number] = (await once(parent.stdout, 'data')) as [Buffer];
    const zombie = Number(number.toString());
    writeFileSync(pidFile, `${zombie}\n${join(home, 'db', 'data')}\n0\n5432\n\n127.0.0.1\n\nready\n`);
    const second = await start();
    expect(second).toMatchObject({ adopted: false });
    expect(second.pid).not.toBe(zombie);
  });

  it('starts although the number of a dead server was given to another program', async () => {
    await (await start()).stop();
    writeFileSync(join(home, 'db', 'data', 'postmaster.pid'), `${process.pid}\n/elsewhere\n0\n1\n\n\n\nready\n`);
    const server = await start();
    expect(await ask(server.url, 'SELECT 1 AS x')).toEqual([{ x: 1 }]);
  });

  it('says why the server did not start, in its own words', async () => {
    await expect(start(undefined, { no_such_setting: '1' })).rejects.toMatchObject({
      code: 'postgres.start_failed',
      message: expect.stringContaining('no_such_setting') as string,
    });
  });

  it.runIf(asRoot)('refuses at once a folder that its user may not enter, and names it', async () => {
    const closed = join(home, 'closed');
    mkdirSync(closed, { mode: 0o700 });
    await expect(start(join(closed, 'db'))).rejects.toMatchObject({
      code: 'postgres.folder_unreadable',
      message: expect.stringContaining(`chmod o+x ${closed}`) as string,
    });
  });

  it.runIf(asRoot)('does not run as root', async () => {
    const { pid } = await start();
    expect(readFileSync(`/proc/${pid}/status`, 'utf8')).not.toMatch(/^Uid:\s+0\s/m);
    expect(execFileSync('stat', ['-c', '%a', join(home, 'db', 'password')], { encoding: 'utf8' }).trim()).toBe('600');
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

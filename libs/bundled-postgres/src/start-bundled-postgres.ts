import { spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  openSync,
  closeSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { findBinaries } from './binaries.ts';
import { BundledPostgresError } from './errors.ts';
import { freePort } from './free-port.ts';
import { type Postmaster, postmasterNumberWasReused, readPostmaster } from './postmaster-file.ts';
import { closedFolderOnTheWay, type ServerUser, serverUser } from './server-user.ts';

export interface BundledPostgresOptions {
  /** Where the cluster lives: made when missing, taken up again when there. Its ancestors must be open to the server's user. */
  readonly folder: string;
  /** TCP port on loopback. Default: a free one. Ignored when a running server is adopted. */
  readonly port?: number;
  /** Server settings by name, added to those of {@link DEFAULT_SETTINGS}. */
  readonly settings?: Readonly<Record<string, string>>;
  /** How long the server may take to answer, recovery after a crash included. Unit: ms. Default: 60,000. */
  readonly startTimeoutMs?: number;
}

export interface BundledPostgres {
  /** Connection URL of the superuser and the database `postgres`, password included: not for logs. */
  readonly url: string;
  readonly port: number;
  /** Process id of the postmaster. */
  readonly pid: number;
  /** True when the server was found running, left by a process that is gone. */
  readonly adopted: boolean;
  /** Fast shutdown (sessions are cut, data is flushed); after 10 s an immediate one. */
  stop(): Promise<void>;
}

/** Loopback only, no Unix socket, room for a process of all services. */
export const DEFAULT_SETTINGS: Readonly<Record<string, string>> = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '200',
};

const STOP_TIMEOUT_MS = 10_000;
const POLL_MS = 20;

/**
 * Starts the PostgreSQL that npm brought, or adopts the one that still runs on the folder. The server runs in a session
 * of its own, so that a Ctrl-C meant for us does not take it away while we finish our work.
 * @throws {BundledPostgresError}
 */
export async function startBundledPostgres(options: BundledPostgresOptions): Promise<BundledPostgres> {
  const folder = resolve(options.folder);
  const data = join(folder, 'data');
  const user = serverUser();
  const closed = closedFolderOnTheWay(folder, user);
  if (closed !== undefined) {
    throw new BundledPostgresError(
      'postgres.folder_unreadable',
      `PostgreSQL runs as the user "postgres" because you are root, and that user may not enter ${closed}. ` +
        `Open it (chmod o+x ${closed}) or choose a data folder elsewhere than ${folder}.`,
    );
  }
  const deadline = Date.now() + (options.startTimeoutMs ?? 60_000);
  const left = readPostmaster(data);
  if (left !== undefined) {
    const ready = await untilReady(folder, data, () => false, deadline);
    return server(folder, data, ready, true);
  }
  const binaries = findBinaries(user);
  if (!existsSync(join(data, 'PG_VERSION'))) initialise(folder, data, binaries.initdb, user);
  if (postmasterNumberWasReused(data)) rmSync(join(data, 'postmaster.pid'), { force: true });
  const settings = { ...DEFAULT_SETTINGS, ...options.settings };
  for (;;) {
    const exited = launch(folder, data, binaries.postgres, user, options.port ?? (await freePort()), settings);
    try {
      return server(folder, data, await untilReady(folder, data, exited, deadline), false);
    } catch (error) {
      // A server that was killed outright is in the way for a moment: its sessions end after it, and its number stays
      // taken until its parent, or init, has noticed.
      const words = lastWords(folder);
      const leftovers = ['pre-existing shared memory block', 'lock file "postmaster.pid" already exists'];
      if (!leftovers.some((leftover) => words.includes(leftover)) || Date.now() > deadline) throw error;
      await delay(10 * POLL_MS);
    }
  }
}

function initialise(folder: string, data: string, initdb: string, user: ServerUser | undefined): void {
  mkdirSync(folder, { recursive: true });
  if (user !== undefined) chmodSync(folder, 0o711);
  rmSync(data, { recursive: true, force: true }); // what an interrupted initdb left
  mkdirSync(data, { mode: 0o700 });
  const password = randomBytes(18).toString('base64url');
  writeFileSync(passwordFile(folder), password, { mode: 0o600 });
  const forInitdb = join(folder, 'initdb-password');
  writeFileSync(forInitdb, `${password}\n`, { mode: 0o600 });
  if (user !== undefined) for (const path of [data, forInitdb]) chownSync(path, user.uid, user.gid);
  // Collation C: texts sort the same on every machine.
  const made = spawnSync(
    initdb,
    [
      `--pgdata=${data}`,
      '--username=postgres',
      '--auth=scram-sha-256',
      `--pwfile=${forInitdb}`,
      '--encoding=UTF8',
      '--no-locale',
      '--no-instructions',
    ],
    { ...user, encoding: 'utf8', cwd: folder, env: environment() },
  );
  rmSync(forInitdb);
  if (made.status === 0) return;
  rmSync(data, { recursive: true, force: true });
  throw new BundledPostgresError(
    'postgres.initdb_failed',
    `initdb could not make a cluster in ${data}: ${made.error?.message ?? `${made.stderr}${made.stdout}`.trim()}`,
  );
}

/** @returns whether the process has ended */
function launch(
  folder: string,
  data: string,
  postgres: string,
  user: ServerUser | undefined,
  port: number,
  settings: Readonly<Record<string, string>>,
): () => boolean {
  // Its words go to a file: a pipe would break when we are killed, and the server is meant to outlive us.
  const log = openSync(logFile(folder), 'w');
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const child = spawn(postgres, ['-D', data, '-p', String(port), ...flags], {
    ...user,
    cwd: folder,
    env: environment(),
    detached: true,
    stdio: ['ignore', log, log],
  });
  closeSync(log);
  let ended = false;
  child.once('error', () => (ended = true));
  child.once('exit', () => (ended = true));
  child.unref();
  return () => ended;
}

async function untilReady(folder: string, data: string, exited: () => boolean, deadline: number): Promise<Postmaster> {
  for (;;) {
    const found = readPostmaster(data);
    if (found?.ready === true) return found;
    if (exited() || Date.now() > deadline) {
      const reason = exited() ? 'ended before it was ready' : 'was not ready in time';
      throw new BundledPostgresError(
        'postgres.start_failed',
        `PostgreSQL on ${data} ${reason}. Its last words:\n${lastWords(folder)}`,
      );
    }
    await delay(POLL_MS);
  }
}

function server(folder: string, data: string, { pid, port }: Postmaster, adopted: boolean): BundledPostgres {
  const password = readFileSync(passwordFile(folder), 'utf8');
  return {
    url: `postgres://postgres:${password}@127.0.0.1:${port}/postgres`,
    port,
    pid,
    adopted,
    async stop() {
      const running = (): boolean => readPostmaster(data)?.pid === pid;
      const until = Date.now() + STOP_TIMEOUT_MS;
      if (running()) process.kill(pid, 'SIGINT');
      while (running() && Date.now() < until) await delay(POLL_MS);
      if (running()) process.kill(pid, 'SIGQUIT');
    },
  };
}

/** The server needs no variable of ours; what it doesn't have it can't leak into a log. */
function environment(): NodeJS.ProcessEnv {
  return { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' };
}

const passwordFile = (folder: string): string => join(folder, 'password');
const logFile = (folder: string): string => join(folder, 'postgres.log');

function lastWords(folder: string): string {
  try {
    return readFileSync(logFile(folder), 'utf8').trimEnd().split('\n').slice(-10).join('\n');
  } catch {
    return '(it wrote no log)';
  }
}

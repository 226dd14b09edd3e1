/** Starts and kills a whole Tidemark of its own, for proofs: a fresh data folder, a free port, the command line of this tree. */
import { spawn, spawnSync } from 'node:child_process';
import { openSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

const cli = resolve(import.meta.dirname, '../../clients/cli/dist/main.js');

export class TidemarkProcess {
  #child;
  #exited;

  /** @param folder data folder, taken up again when there  @param env further variables */
  constructor(folder, port, env = {}) {
    this.folder = folder;
    this.port = port;
    this.env = { ...process.env, ...env, TIDEMARK_URL: `http://127.0.0.1:${port}` };
    this.url = `http://127.0.0.1:${port}`;
  }

  static async create(folder, env) {
    return new TidemarkProcess(folder, await freePort(), env);
  }

  async start({ sample = false, args = [], patienceMs = 120_000 } = {}) {
    const output = openSync(join(this.folder, 'start.log'), 'a');
    const options = [
      '--data-folder',
      this.folder,
      '--port',
      String(this.port),
      ...(sample ? [] : ['--no-sample']),
      ...args,
    ];
    this.#child = spawn(process.execPath, [cli, 'start', ...options], {
      env: this.env,
      stdio: ['ignore', output, output],
    });
    this.#exited = new Promise((done) => this.#child.once('exit', done));
    const until = Date.now() + patienceMs;
    for (;;) {
      if (this.#child.exitCode !== null) throw new Error(`it ended while starting; see ${this.folder}/start.log`);
      if (await answers(`${this.url}/readyz`)) return;
      if (Date.now() > until) throw new Error(`not ready after ${patienceMs} ms; see ${this.folder}/start.log`);
      await delay(100);
    }
  }

  /** Waits until `start` has said a line. */
  async untilSaid(text, patienceMs = 3_600_000) {
    const until = Date.now() + patienceMs;
    while (!readFileSync(join(this.folder, 'start.log'), 'utf8').includes(text)) {
      if (this.#child.exitCode !== null)
        throw new Error(`it ended before it said "${text}"; see ${this.folder}/start.log`);
      if (Date.now() > until) throw new Error(`it did not say "${text}" within ${patienceMs} ms`);
      await delay(200);
    }
  }

  /** kill -9 of node alone, or of node and its PostgreSQL. */
  async kill({ postgres = false } = {}) {
    const postmaster = postgres ? this.postmaster() : undefined;
    this.#child.kill('SIGKILL');
    if (postmaster) process.kill(postmaster, 'SIGKILL');
    await this.#exited;
  }

  get pid() {
    return this.#child.pid;
  }

  /** Resolves with the exit code, null when a signal ended it. */
  get exited() {
    return this.#exited;
  }

  /** Sends any signal to node alone. */
  signal(name) {
    this.#child.kill(name);
  }

  postmaster() {
    return Number(readFileSync(join(this.folder, 'postgres/data/postmaster.pid'), 'utf8').split('\n')[0]);
  }

  async stop() {
    this.#child.kill('SIGTERM');
    return this.#exited;
  }

  /** Runs one command of the command line to its end. */
  run(...args) {
    const { status, stdout, stderr } = spawnSync(process.execPath, [cli, ...args], {
      env: this.env,
      encoding: 'utf8',
      maxBuffer: 1 << 30,
    });
    return { status, stdout, stderr };
  }

  /** The same, without waiting for it here. */
  runAside(...args) {
    return runCommand(this.env, args);
  }

  async status() {
    const answer = await fetch(`${this.url}/v1/status`);
    if (!answer.ok) throw new Error(`status: ${answer.status}`);
    return answer.json();
  }

  /** Waits until nothing is on its way any more. */
  async untilQuiet(patienceMs = 3_600_000) {
    const until = Date.now() + patienceMs;
    for (;;) {
      const status = await this.status().catch(() => undefined);
      if (status?.quiet) return status;
      if (Date.now() > until) throw new Error(`not quiet after ${patienceMs} ms: ${JSON.stringify(status)}`);
      await delay(500);
    }
  }
}

/** Runs one command of the command line of this tree against a gateway. @throws Error with its words when it fails */
export async function tidemark(url, ...args) {
  check(await runCommand({ ...process.env, TIDEMARK_URL: url }, args), args.join(' '));
}

function runCommand(env, args) {
  const child = spawn(process.execPath, [cli, ...args], { env, stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr.on('data', (chunk) => {
    said += chunk;
  });
  return new Promise((done) => child.once('exit', (code) => done({ status: code, stderr: said })));
}

export function check(result, what) {
  if (result.status !== 0) throw new Error(`${what} ended with ${result.status}: ${result.stderr}`);
  return result;
}

async function answers(url) {
  try {
    return (await fetch(url)).ok;
  } catch {
    return false;
  }
}

function freePort() {
  return new Promise((done, fail) => {
    const server = createServer().once('error', fail);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => done(port));
    });
  });
}

/** Random numbers in [0, 1) that a seed repeats (mulberry32). */
export function seeded(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** One process of one service of a cluster: started from the build, watched, stopped. */
import { spawn } from 'node:child_process';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';

const here = resolve(import.meta.dirname, '../..');
/** Ends the service when whoever started it is gone, however it went. */
const WITH_PARENT = `data:text/javascript,process.on('disconnect',()=>process.kill(process.pid,'SIGTERM'))`;
const STOP_PATIENCE_MS = 30_000;

export class ServiceProcess {
  #child;
  #exited;

  /**
   * @param name service  @param replica 1, 2 …  @param port of HTTP  @param env all variables
   * @param says takes a line of its log  @param root checkout whose build is run, by default this one
   */
  constructor({ name, replica, port, env, says, root = here }) {
    this.name = name;
    this.label = `${name}.${replica}`;
    this.root = root;
    this.port = port;
    this.url = `http://127.0.0.1:${port}`;
    this.env = { ...env, TIDEMARK_HTTP_PORT: String(port) };
    this.says = says;
  }

  get pid() {
    return this.#child.pid;
  }

  get exitCode() {
    return this.#child?.exitCode ?? this.#child?.signalCode;
  }

  start() {
    const main = join(this.root, 'services', this.name, 'dist', 'main.js');
    this.#child = spawn(
      process.execPath,
      ['--disable-warning=TimeoutNegativeWarning', `--import=${WITH_PARENT}`, main],
      {
        env: this.env,
        cwd: this.root,
        stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
        // A Ctrl-C of the terminal is for us alone: we stop them one after the other.
        detached: true,
      },
    );
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      createInterface({ input: stream }).on('line', (line) => this.says(this.label, line));
    }
    const child = this.#child;
    this.#exited = new Promise((done) => {
      child.once('exit', (code, signal) => {
        this.says(this.label, `ended with ${signal ?? code}`);
        done(code ?? signal);
      });
    });
    return this;
  }

  /** Why it is not ready; empty when it is. */
  async reasons() {
    if (this.exitCode != null) return [`ended with ${this.exitCode}`];
    try {
      const answer = await fetch(`${this.url}/readyz`, { signal: AbortSignal.timeout(5_000) });
      return answer.ok ? [] : ((await answer.json()).reasons ?? [`answers ${answer.status}`]);
    } catch {
      return ['does not answer'];
    }
  }

  /** Resolves with the exit code, or the signal that ended it. */
  get exited() {
    return this.#exited;
  }

  signal(name) {
    if (this.exitCode == null) this.#child?.kill(name);
  }

  /** @returns exit code, or the signal that ended it */
  async stop() {
    if (this.#child === undefined) return 0;
    this.signal('SIGTERM');
    const ended = await Promise.race([this.#exited, delay(STOP_PATIENCE_MS, 'late', { ref: false })]);
    if (ended !== 'late') return ended;
    this.signal('SIGKILL');
    return await this.#exited;
  }
}

/** One process of a system that is harmed, with the proxies through which alone it reaches database and broker. */
import { execFileSync } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';

const END_PATIENCE_MS = 30_000;

export class Part {
  alive = false;
  /** Process numbers that it had, one after the other. */
  pids = [];

  /**
   * @param label `execute.2`; the one process of a system that is not apart is `tidemark`
   * @param database proxy  @param broker proxy, where there is a broker
   * @param run `launch()` resolves when it is ready, `pid`, `exited`: how it is started and watched
   */
  constructor({ label, database, broker, run }) {
    Object.assign(this, { label, database, broker, run });
    this.service = label.split('.')[0];
  }

  get pid() {
    return this.run.pid;
  }

  get links() {
    return [this.database, this.broker].filter(Boolean);
  }

  async start() {
    this.alive = true;
    await this.run.launch((pid) => this.pids.push(pid));
  }

  /** SIGKILL. At once: what it was about to say next is not said. */
  async kill() {
    this.alive = false;
    process.kill(this.pid, 'SIGKILL');
    await this.run.exited;
  }

  /** SIGTERM. @throws Error when it does not end with 0 */
  async terminate() {
    this.alive = false;
    process.kill(this.pid, 'SIGTERM');
    const code = await this.run.exited;
    if (code !== 0) throw new Error(`${this.label}: a stop by SIGTERM ended with ${code}`);
  }

  /** SIGTERM, and SIGKILL when that is not enough. */
  async end() {
    process.kill(this.pid, 'SIGCONT');
    const kill = setTimeout(() => process.kill(this.pid, 'SIGKILL'), END_PATIENCE_MS);
    try {
      await this.terminate();
    } finally {
      clearTimeout(kill);
    }
  }

  /** SIGSTOP, and SIGCONT after a while. */
  async freeze(ms) {
    process.kill(this.pid, 'SIGSTOP');
    try {
      await delay(ms);
    } finally {
      process.kill(this.pid, 'SIGCONT');
    }
  }

  /** It gets no more memory, and ends by that when it asks for some. @returns whether it did within `ms` */
  async starve(ms) {
    this.#limitMemory('1:');
    const ended = await Promise.race([this.run.exited.then(() => true), delay(ms, false, { ref: false })]);
    if (ended) this.alive = false;
    else this.#limitMemory('unlimited:');
    return ended;
  }

  #limitMemory(limit) {
    execFileSync('prlimit', ['--pid', String(this.pid), `--as=${limit}`, `--data=${limit}`]);
  }

  /** Kills it at a moment, and starts it again. @returns `{ reached, cancel }`: `reached` resolves when it is there again */
  dieAt(moment, { times = 1 } = {}) {
    let cancel;
    const reached = new Promise((done, fail) => {
      cancel = this.database.watch({ ...moment, times }, () => {
        this.kill()
          .then(() => this.start())
          .then(done, fail);
      });
    });
    return { reached, cancel };
  }
}

/**
 * A whole Tidemark of which every part can be harmed: one process of all services, a PostgreSQL of its own behind a proxy
 * and, when asked for, a Kafka broker from its jars.
 */
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, statfsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { startBundledPostgres } from '../../libs/bundled-postgres/dist/index.js';
import { check, TidemarkProcess } from '../proofs/tidemark-process.mjs';
import { TcpProxy } from './tcp-proxy.mjs';

export class System {
  #postgres;
  #args = [];
  alive = false;
  /** Process numbers that the services had, one after the other. */
  pids = [];

  /** @param folder everything is kept below it  @param kafka `host:port` of a broker; without one the log is in PostgreSQL */
  constructor(folder, { kafka, tmpfsMb } = {}) {
    this.folder = folder;
    this.kafka = kafka;
    this.tmpfsMb = tmpfsMb;
    this.postgresFolder = join(folder, 'postgres');
  }

  async start() {
    rmSync(this.folder, { recursive: true, force: true });
    mkdirSync(join(this.folder, 'data'), { recursive: true });
    chmodSync(this.folder, 0o755);
    if (this.tmpfsMb) {
      mkdirSync(this.postgresFolder);
      execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${this.tmpfsMb}m`, 'tmpfs-of-faults', this.postgresFolder]);
    }
    await this.startPostgres();
    this.proxy = new TcpProxy(this.#postgres.port);
    await this.proxy.start();
    const database = this.#postgres.url.replace(`:${this.#postgres.port}/`, `:${this.proxy.port}/`);
    this.#args = ['--database', database, ...(this.kafka ? ['--kafka', this.kafka] : [])];
    this.tidemark = await TidemarkProcess.create(join(this.folder, 'data'), {
      TIDEMARK_CALIBRATE_EVALUATE_AFTER_GROUPS: '0',
      TIDEMARK_CALIBRATE_EVALUATE_AFTER_SECONDS: '0',
      TIDEMARK_DEDUP_HELD_OUT_SHARE: '0',
    });
    await this.startServices();
  }

  get url() {
    return this.tidemark.url;
  }

  /** Address of the database past the proxy: for looking, never for the services. */
  get databaseUrl() {
    return this.#postgres.url;
  }

  async startServices() {
    await this.tidemark.start({ args: this.#args });
    this.pids.push(this.tidemark.pid);
    this.alive = true;
  }

  async killServices() {
    this.alive = false;
    await this.tidemark.kill();
  }

  async stopServices() {
    this.alive = false;
    return this.tidemark.stop();
  }

  /** SIGSTOP, and SIGCONT after a while. */
  async freezeServices(ms) {
    this.tidemark.signal('SIGSTOP');
    await delay(ms);
    this.tidemark.signal('SIGCONT');
  }

  async startPostgres() {
    this.#postgres = await startBundledPostgres({
      folder: this.postgresFolder,
      ...(this.#postgres && { port: this.#postgres.port }),
    });
  }

  stopPostgres() {
    return this.#postgres.stop();
  }

  killPostgres() {
    process.kill(this.#postgres.pid, 'SIGKILL');
  }

  /** Fills the file system of the database to its last byte. @returns what makes room again */
  fillPostgresDisk() {
    const ballast = join(this.postgresFolder, 'ballast');
    const { bavail, bsize } = statfsSync(this.postgresFolder);
    writeFileSync(ballast, Buffer.alloc(Math.max(0, bavail * bsize - 4096)));
    return () => rmSync(ballast);
  }

  /** The work that every fault is tried on: problems published, a target declared, groups submitted again until all are in. */
  async offer(problems, groups) {
    await this.#do('ingest', problems);
    const settings = join(this.folder, 'target.json');
    const stop_sequences = ['\nclass', '\ndef', '\n#', '\nif', '\nprint', '\n@'];
    const sampling = { temperature: 0.8, top_p: 0.95, stop_sequences };
    writeFileSync(settings, JSON.stringify({ answer_form: 'completion', sampling, group_size: 8 }));
    await this.#do('target', 'declare', 'codegen-16b-mono', '--settings', settings);
    await this.#do('checkpoint', 'advance', 'codegen-16b-mono', 'base', '--ordinal', '0');
    this.submitting = this.#submit(groups);
    // Awaited later; until then a failure is not unheard of.
    this.submitting.catch(() => undefined);
  }

  /** One command, without blocking the proxy, which lives in this process. */
  async #do(...args) {
    check(await this.tidemark.runAside(...args), args.slice(0, 2).join(' '));
  }

  /** A trainer whose report was cut off sends it again; what had arrived counts once. */
  async #submit(groups) {
    for (let tries = 0; tries < 200; tries++) {
      const { status, stderr } = await this.tidemark.runAside('rollouts', 'submit', groups);
      if (status === 0) return;
      this.refused = stderr;
      await delay(1_000);
    }
    throw new Error(`the groups could not be submitted: ${this.refused}`);
  }

  /** Waits until all is in and graded, then evaluates once. */
  async settle() {
    await this.submitting;
    await this.tidemark.untilQuiet(900_000);
    await this.#do('evaluate', 'codegen-16b-mono');
    await this.tidemark.untilQuiet(900_000);
  }

  async isBusy() {
    return !(await this.tidemark.status()).quiet;
  }

  async stop() {
    if (this.alive) await this.stopServices();
    this.proxy?.stop();
    await this.#postgres?.stop().catch(() => undefined);
    if (this.tmpfsMb) {
      await delay(500);
      execFileSync('umount', ['-l', this.postgresFolder]);
    }
  }
}

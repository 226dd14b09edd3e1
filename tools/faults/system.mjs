/**
 * A whole Tidemark of which every part can be harmed. On the embedded log: one process of all services, as `npm start` has
 * it. On Kafka: every service a process of its own and a broker from its jars, as `npm run cluster` has it. PostgreSQL and
 * broker are reached through a proxy by each process.
 */
import { chmodSync, createWriteStream, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { freePort } from '../../libs/bundled-postgres/dist/index.js';
import { openEmbeddedEventLog, openKafkaEventLog } from '../../libs/event-log/dist/index.js';
import { startKafkaFromJars } from '../../libs/testing-servers/dist/kafka-from-jars.js';
import { Cluster } from '../cluster/cluster.mjs';
import { TidemarkProcess } from '../proofs/tidemark-process.mjs';
import { Database, SmallDisk, unmountLeftovers } from './database.mjs';
import { Door } from './door.mjs';
import { Part } from './part.mjs';
import { TcpProxy } from './tcp-proxy.mjs';

export const TARGET = 'codegen-16b-mono';
/** One evaluation, by command, after the last group: what moves where then depends on the evidence alone. */
const ENV = {
  TIDEMARK_CALIBRATE_EVALUATE_AFTER_GROUPS: '0',
  TIDEMARK_CALIBRATE_EVALUATE_AFTER_SECONDS: '0',
  TIDEMARK_DEDUP_HELD_OUT_SHARE: '0',
};
const PATIENCE_MS = 900_000;

export class System {
  #submissions = [];
  #fed = 0;
  #share = 0;
  idleBlows = 0;
  #log;
  #starting;
  /** Blows dealt, and those of them that met a system with nothing to do; whoever counts sets them back. */
  blows = 0;
  parts = [];

  /**
   * @param folder emptied at start; everything is kept below it  @param log `embedded` or `kafka`
   * @param apart whether each service is a process of its own, for which the log has to be Kafka
   * @param needs what a fault needs of it: `databaseDiskMb`, `blobDiskMb`, `replicas` by service,
   *   `env(label, folder)` of a process
   */
  constructor(
    folder,
    { log, apart = log === 'kafka' },
    { databaseDiskMb, blobDiskMb, replicas = {}, env = () => ({}) } = {},
  ) {
    this.folder = folder;
    this.onKafka = log === 'kafka';
    this.apart = apart;
    this.replicas = replicas;
    this.env = env;
    this.database = new Database(join(folder, 'postgres'), { diskMb: databaseDiskMb });
    this.blobFolder = apart ? join(folder, 'blobs') : join(folder, 'data', 'blobs');
    this.blobDisk = blobDiskMb && new SmallDisk(this.blobFolder, blobDiskMb);
  }

  /** @param starts starts the parts; by default each is started and nothing is done to it */
  start(starts = () => this.startParts()) {
    this.#starting = this.#startAll(starts);
    return this.#starting;
  }

  async #startAll(starts) {
    unmountLeftovers(this.folder);
    rmSync(this.folder, { recursive: true, force: true });
    mkdirSync(this.blobFolder, { recursive: true });
    // Run by root, PostgreSQL is another user, who has to get in.
    chmodSync(this.folder, 0o755);
    this.blobDisk?.mount();
    await this.database.start();
    const labels = this.apart ? Cluster.labels(this.replicas) : ['tidemark'];
    const databases = await this.#proxies(labels, this.database.port);
    const brokers = this.onKafka ? await this.#startBroker(labels) : new Map();
    this.links = [...databases.values(), ...brokers.values()];
    const envOf = (label) => ({ ...ENV, ...this.env(label, this.folder) });
    const runs = this.apart
      ? await this.#planApart(databases, brokers, envOf)
      : await this.#planTogether(databases, brokers, envOf);
    this.parts = labels.map(
      (label) => new Part({ label, database: databases.get(label), broker: brokers.get(label), run: runs.get(label) }),
    );
    this.door = new Door(this.client.url);
    await starts(this);
  }

  async startParts() {
    await Promise.all(this.parts.map((part) => part.start()));
  }

  async #proxies(labels, port) {
    const started = labels.map(async (label) => [label, await new TcpProxy(port).start()]);
    return new Map(await Promise.all(started));
  }

  /** Each process has a listener of its own, since a broker tells its clients where to go. */
  async #startBroker(labels) {
    const proxies = await this.#proxies(labels, 0);
    const nameOf = (label) => label.replace('.', '_').toUpperCase();
    const entries = (of) => Object.fromEntries(labels.map((label) => [nameOf(label), of(label)]));
    this.broker = await startKafkaFromJars({
      listeners: entries(() => 'PLAINTEXT'),
      advertised: entries((label) => `127.0.0.1:${proxies.get(label).port}`),
    });
    for (const [label, proxy] of proxies) proxy.targetPort = Number(this.broker.addresses[nameOf(label)].split(':')[1]);
    return proxies;
  }

  async #planTogether(databases, brokers, envOf) {
    const tidemark = await TidemarkProcess.create(join(this.folder, 'data'), envOf('tidemark'));
    this.client = tidemark;
    const broker = brokers.get('tidemark');
    const args = ['--database', this.database.urlThrough(databases.get('tidemark').port)];
    if (broker) args.push('--kafka', `127.0.0.1:${broker.port}`);
    const run = {
      get pid() {
        return tidemark.pid;
      },
      get exited() {
        return tidemark.exited;
      },
      async launch(born) {
        const starting = tidemark.start({ args, patienceMs: PATIENCE_MS });
        born(tidemark.pid);
        await starting;
      },
    };
    return new Map([['tidemark', run]]);
  }

  async #planApart(databases, brokers, envOf) {
    const words = createWriteStream(join(this.folder, 'cluster.log'));
    const cluster = new Cluster({
      folder: join(this.folder, 'data'),
      port: await freePort(),
      replicas: this.replicas,
      kafka: this.broker.brokers.join(','),
      database: this.database.url,
      envOf: (label) => ({
        ...envOf(label),
        TIDEMARK_DATABASE_URL: this.database.urlThrough(databases.get(label).port),
        TIDEMARK_KAFKA_BROKERS: `127.0.0.1:${brokers.get(label).port}`,
        TIDEMARK_BLOB_FOLDER: this.blobFolder,
      }),
      says: (who, line) => words.write(`${new Date().toISOString()} ${who} | ${line}\n`),
    });
    await cluster.plan();
    this.client = new TidemarkProcess(this.folder, new URL(cluster.url).port);
    const runOf = (process) => ({
      get pid() {
        return process.pid;
      },
      get exited() {
        return process.exited;
      },
      async launch(born) {
        process.start();
        born(process.pid);
        await cluster.untilReady(PATIENCE_MS, [process]);
      },
    });
    return new Map(cluster.processes.map((process) => [process.label, runOf(process)]));
  }

  get url() {
    return this.client.url;
  }

  get pids() {
    return this.parts.flatMap(({ pids }) => pids);
  }

  /** Parts of these services; where all are one process, that one. */
  of(...services) {
    return this.apart ? this.parts.filter(({ service }) => services.includes(service)) : this.parts;
  }

  /** The log past every proxy, as another client would write it. */
  get log() {
    this.#log ??= this.onKafka
      ? openKafkaEventLog({ brokers: this.broker.brokers, replicationFactor: 1, minInsyncReplicas: 1 })
      : openEmbeddedEventLog({ connection: { connectionString: this.database.url } });
    return this.#log;
  }

  /** Declares the target, once; every fault is tried on problems and groups of its own. */
  async declare() {
    const stop_sequences = ['\nclass', '\ndef', '\n#', '\nif', '\nprint', '\n@'];
    const sampling = { temperature: 0.8, top_p: 0.95, stop_sequences };
    await this.door.order('PUT', `targets/${TARGET}`, { answer_form: 'completion', sampling, group_size: 8 });
    await this.door.order('POST', `targets/${TARGET}/checkpoints`, { checkpoint: 'base', ordinal: 0 });
  }

  /** Publishes problems; their groups follow by {@link feed}. */
  async offer({ problems, groups }) {
    this.groups = groups;
    this.#fed = 0;
    this.#share = 0;
    await this.door.upload('problems', problems);
  }

  /** Submits a share of the groups, beside what happens here. */
  feed(share) {
    const from = this.#fed;
    this.#share = Math.min(1, this.#share + share);
    this.#fed = Math.round(this.groups.length * this.#share);
    const submission = this.door.upload('rollouts', this.groups.slice(from, this.#fed));
    // Awaited later; until then a failure is not unheard of.
    submission.catch(() => undefined);
    this.#submissions.push(submission);
  }

  /** Orders an evaluation point. */
  evaluate() {
    return this.door.order('POST', `targets/${TARGET}/evaluate`, {});
  }

  /** One blow, noting whether there was anything to hit. */
  async blow(act) {
    this.blows++;
    const status = await this.#statusSoon();
    if (status?.quiet === true) this.idleBlows++;
    return act();
  }

  #statusSoon() {
    const late = delay(2_000, undefined, { ref: false });
    return Promise.race([this.client.status().catch(() => undefined), late]);
  }

  /** Waits until all that was submitted is in, and nothing is on its way. @throws Error with the last status */
  async untilQuiet(patienceMs = PATIENCE_MS) {
    await Promise.all(this.#submissions);
    await this.client.untilQuiet(patienceMs);
  }

  /** How often the leases of the owners of targets have changed hands, by service and lease. */
  async leaseEpochs() {
    const rows = await this.ask(`SELECT 'calibrate ' || name AS name, epoch FROM calibrate.leases
      UNION ALL SELECT 'select ' || name, epoch FROM "select".leases`);
    return new Map(rows.map(({ name, epoch }) => [name, BigInt(epoch)]));
  }

  /** Rows of the database, past every proxy. */
  async ask(sql) {
    const client = new pg.Client({ connectionString: this.database.url });
    await client.connect();
    try {
      return (await client.query(sql)).rows;
    } finally {
      await client.end();
    }
  }

  /** Waits until all is in and graded, then evaluates once. */
  async settle() {
    this.feed(1);
    await this.untilQuiet();
    await this.evaluate();
    await this.client.untilQuiet(PATIENCE_MS);
  }

  async stop() {
    const faults = [];
    const opened = await Promise.resolve(this.#log).catch(() => undefined);
    await opened?.close().catch(() => undefined);
    for (const parts of [this.of('gateway'), this.parts]) {
      const ending = parts.filter(({ alive }) => alive).map((part) => part.end());
      for (const { reason } of await Promise.allSettled(ending)) if (reason) faults.push(reason.message);
    }
    // Interrupted while it starts: what comes up meanwhile has to go too.
    await this.#starting?.catch(() => undefined);
    for (const link of this.links ?? []) link.stop();
    await this.broker?.stop();
    await this.database.end();
    await this.blobDisk?.unmount();
    return faults;
  }
}

/** Non-empty lines of a file. */
export function readLines(file) {
  return readFileSync(file, 'utf8').split('\n').filter(Boolean);
}

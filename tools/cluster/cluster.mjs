/**
 * Tidemark as an operator runs it, on this machine and without Docker: Apache Kafka from its jars, a PostgreSQL, and every
 * service a process of its own, `execute` in two replicas. Needs a build.
 */
import { randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort, readPostmaster, startBundledPostgres } from '../../libs/bundled-postgres/dist/index.js';
import { startOwnKafka } from '../../libs/testing-servers/dist/start-own-kafka.js';
import { ServiceProcess } from './service-process.mjs';

/** In the order of the flow; the door opens last and closes first. */
const SERVICES = ['ingest', 'normalize', 'dedup', 'execute', 'score', 'calibrate', 'select', 'sample', 'gateway'];
const READY_MS = 180_000;

export class Cluster {
  #closers = [];
  #stopping;
  #unclean = [];
  processes = [];

  /**
   * @param folder emptied at start, removed by nobody  @param port of the gateway, 0 for a free one
   * @param replicas by service, 1 where nothing is said  @param kafka brokers that are there already
   * @param database URL of a PostgreSQL that is there already  @param env further variables
   * @param envOf variables of one process alone, by its label (`execute.2`)  @param says takes (who, line)
   * @param root checkout whose build is run
   */
  constructor({ folder, port = 0, replicas, kafka, database, env = {}, envOf, says = () => undefined, root }) {
    this.options = { folder, port, replicas: { execute: 2, ...replicas }, kafka, database, env, envOf, says, root };
  }

  /** Labels of the processes that a cluster of these replicas has, in the order of the flow. */
  static labels(replicas = {}) {
    const count = { execute: 2, ...replicas };
    return SERVICES.flatMap((name) => Array.from({ length: count[name] ?? 1 }, (_, index) => `${name}.${index + 1}`));
  }

  get url() {
    return this.of('gateway')[0].url;
  }

  of(service) {
    return this.processes.filter(({ name }) => name === service);
  }

  /** Starts everything and waits until all are ready. What was started is stopped again when a part can't start. */
  async start() {
    try {
      await this.plan();
      for (const process of this.processes) process.start();
      await this.untilReady();
    } catch (error) {
      await this.stop();
      throw error;
    }
  }

  /** Starts the servers that were not given, and names the processes without starting them. */
  async plan() {
    await this.#planProcesses(await this.#startServers());
  }

  async #startServers() {
    const { folder, kafka, database, says } = this.options;
    await endOrphan(join(folder, 'postgres', 'data'));
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(join(folder, 'blobs'), { recursive: true });
    // Run by root, PostgreSQL is another user, who has to get in.
    chmodSync(folder, 0o755);
    const url = database ?? (await this.#startPostgres());
    let brokers = kafka;
    if (brokers === undefined) {
      const broker = await startOwnKafka();
      this.#closers.push(() => broker.stop());
      brokers = broker.brokers.join(',');
    }
    says('kafka', `listens on ${brokers}`);
    return { brokers, database: url };
  }

  async #startPostgres() {
    const postgres = await startBundledPostgres({ folder: join(this.options.folder, 'postgres') });
    this.#closers.push(() => postgres.stop());
    this.options.says('postgres', `listens on port ${postgres.port}`);
    return postgres.url;
  }

  async #planProcesses({ brokers, database }) {
    const { folder, port, replicas, env, envOf, says, root } = this.options;
    const places = [];
    for (const name of SERVICES) {
      for (let replica = 1; replica <= (replicas[name] ?? 1); replica++) {
        places.push({ name, replica, port: name === 'gateway' && port !== 0 ? port : await freePort() });
      }
    }
    // Shared by gateway and ingest: the gateway vouches for a submission by it.
    const secret = randomBytes(32).toString('hex');
    const first = (service) => places.find(({ name }) => name === service);
    const addresses = SERVICES.filter((name) => name !== 'gateway').map(
      (name) => `${name}=http://127.0.0.1:${first(name).port}`,
    );
    const grpcPorts = new Map();
    for (const place of places) if (place.name === 'select') grpcPorts.set(place.replica, await freePort());
    const common = {
      ...process.env,
      TIDEMARK_ENVIRONMENT: 'cluster',
      TIDEMARK_DATABASE_URL: database,
      TIDEMARK_KAFKA_BROKERS: brokers,
      TIDEMARK_KAFKA_REPLICATION: '1',
      TIDEMARK_BLOB_FOLDER: join(folder, 'blobs'),
      TIDEMARK_GATEWAY_MAC_SECRET: secret,
      TIDEMARK_INGEST_GATEWAY_SECRET: secret,
      TIDEMARK_GATEWAY_SERVICE_ADDRESSES: addresses.join(','),
      TIDEMARK_GATEWAY_SELECT_ADDRESS: `127.0.0.1:${grpcPorts.get(1)}`,
      ...env,
    };
    this.processes = places.map((place) => {
      const grpcPort = place.name === 'select' ? String(grpcPorts.get(place.replica)) : undefined;
      const own = grpcPort && {
        TIDEMARK_SELECT_GRPC_PORT: grpcPort,
        TIDEMARK_ADVERTISED_ADDRESS: `127.0.0.1:${grpcPort}`,
      };
      const alone = envOf?.(`${place.name}.${place.replica}`);
      return new ServiceProcess({ ...place, env: { ...common, ...own, ...alone }, says, ...(root && { root }) });
    });
  }

  /**
   * Starts a replica of this checkout's build beside the one that runs, and stops that one when the new one is ready. It
   * takes over the port: who knows the address goes on.
   */
  async replace(name) {
    const [old] = this.of(name);
    const grpc = name === 'select' && { TIDEMARK_SELECT_GRPC_PORT: String(await freePort()) };
    const place = { replica: 2, port: await freePort(), env: { ...old.env, ...grpc }, root: undefined };
    const beside = new ServiceProcess({ ...old, ...place }).start();
    this.processes.push(beside);
    await this.untilReady();
    await delay(2_000);
    await this.#end(old);
    const fresh = new ServiceProcess({ ...old, replica: 3, port: old.port, root: undefined }).start();
    this.processes = [...this.processes.filter((process) => process !== old), fresh];
    await this.untilReady();
    await this.#end(beside);
    this.processes = this.processes.filter((process) => process !== beside);
  }

  /** @throws Error naming what is not ready, and why; at once when a process has ended */
  async untilReady(patienceMs = READY_MS, processes = this.processes) {
    const until = Date.now() + patienceMs;
    for (;;) {
      const waiting = [];
      for (const process of processes) {
        const reasons = await process.reasons();
        if (reasons.length > 0) waiting.push(`${process.label}: ${reasons.join('; ')}`);
      }
      if (waiting.length === 0) return;
      const ended = processes.filter(({ exitCode }) => exitCode != null);
      if (ended.length > 0 || Date.now() > until) throw new Error(`not ready: ${waiting.join(' | ')}`);
      await delay(200);
    }
  }

  /**
   * The door first, then the services, then the servers. Idempotent.
   *
   * @returns labels of the processes that did not end by themselves with 0
   */
  stop() {
    this.#stopping ??= this.#stopAll();
    return this.#stopping;
  }

  async #stopAll() {
    await Promise.all(this.of('gateway').map((process) => this.#end(process)));
    await Promise.all(this.processes.map((process) => this.#end(process)));
    for (const close of this.#closers.reverse()) await close();
    return this.#unclean;
  }

  async #end(process) {
    const code = await process.stop();
    const said = `${process.label} ended with ${code}`;
    // One that had no time yet to see to signals ends by them.
    if (code !== 0 && code !== 'SIGTERM' && !this.#unclean.includes(said)) this.#unclean.push(said);
  }
}

/** A PostgreSQL that a cluster which was killed left behind: its data goes, so it has to go first. */
async function endOrphan(data) {
  const left = readPostmaster(data);
  if (left === undefined) return;
  process.kill(left.pid, 'SIGQUIT');
  for (let look = 0; look < 100 && readPostmaster(data) !== undefined; look++) await delay(50);
}

import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { closeSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '@tidemark/bundled-postgres';
import { BROKER_SETTINGS, KafkaUnavailableError, type OwnKafkaBroker, type OwnKafkaOptions } from './kafka-broker.ts';
import { kafkaJars } from './kafka-jars.ts';
import { testFolder } from './test-folder.ts';

/** Small, quick to boot, and kind to the neighbours' cores; a test's broker never runs long enough for the full compiler. */
const JAVA_FLAGS = ['-Xmx256m', '-Xms64m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1', '-Xshare:auto'];
const START_TIMEOUT_MS = 60_000;
const STOP_TIMEOUT_MS = 5_000;

/**
 * Ends with the broker, or ends the broker when our end of its input closes: also when we are killed outright.
 * The broker gets SIGKILL: its folder goes too, so there is nothing to close in order.
 */
const WATCHED = `exec 3<&0; "$@" </dev/null 3<&- & broker=$!; { cat <&3; kill -9 $broker; } 2>/dev/null & wait $broker; kill $!`;

/**
 * One broker of Apache Kafka (KRaft, broker and controller in one process) from its own jars.
 * @throws {KafkaUnavailableError}
 */
export async function startKafkaFromJars(options: OwnKafkaOptions = {}): Promise<OwnKafkaBroker> {
  const jars = kafkaJars();
  const folder = testFolder('kafka');
  const port = await freePort();
  const controllerPort = await freePort();
  const properties = join(folder, 'server.properties');
  const log = join(folder, 'broker.log');
  const addresses: Record<string, string> = {};
  for (const name of Object.keys(options.listeners ?? {})) addresses[name] = `127.0.0.1:${await freePort()}`;
  const own = Object.entries(addresses).map(([name, address]) => `${name}://${address}`);
  const told = Object.keys(addresses).map((name) => `${name}://${options.advertised?.[name] ?? addresses[name]}`);
  const protocols = Object.entries(options.listeners ?? {}).map(([name, protocol]) => `${name}:${protocol}`);
  const settings = {
    ...BROKER_SETTINGS,
    'listener.security.protocol.map': [BROKER_SETTINGS['listener.security.protocol.map'], ...protocols].join(','),
    'controller.quorum.voters': `1@127.0.0.1:${controllerPort}`,
    listeners: [`PLAINTEXT://127.0.0.1:${port}`, `CONTROLLER://127.0.0.1:${controllerPort}`, ...own].join(','),
    'advertised.listeners': [`PLAINTEXT://127.0.0.1:${port}`, ...told].join(','),
    'log.dirs': join(folder, 'log'),
    ...options.settings,
  };
  writeFileSync(
    properties,
    Object.entries(settings)
      .map(([name, value]) => `${name}=${value}\n`)
      .join(''),
  );
  format(jars, folder, properties, options.scram ?? []);
  let child: ChildProcess | undefined;
  const crash = async (): Promise<void> => {
    if (child !== undefined) await ended(child);
    child = undefined;
  };
  const revive = async (): Promise<void> => {
    const started = run(jars, folder, properties, log);
    child = started;
    await untilListening(started, port, log);
  };
  const stop = async (): Promise<void> => {
    await crash();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  };
  try {
    await revive();
  } catch (error) {
    await stop();
    throw error;
  }
  return { brokers: [`127.0.0.1:${port}`], by: 'jars', addresses, stop, crash, revive };
}

function run(jars: string, folder: string, properties: string, logFile: string): ChildProcess {
  const log = openSync(logFile, 'a');
  const child = spawn(
    'sh',
    ['-c', WATCHED, 'broker', 'java', ...JAVA_FLAGS, '-cp', `${jars}/*`, 'kafka.Kafka', properties],
    {
      cwd: folder,
      detached: true, // a Ctrl-C of the terminal must not take the broker away from under the tests
      stdio: ['pipe', log, log],
    },
  );
  closeSync(log);
  return child;
}

function format(jars: string, folder: string, properties: string, scram: readonly string[]): void {
  // Any 16 bytes in URL-safe base64 are a cluster id; one broker a cluster needs no particular one.
  const id = Buffer.from('tidemark-testing').toString('base64url');
  const users = scram.flatMap((user) => ['--add-scram', user]);
  const tool = ['-cp', `${jars}/*`, 'kafka.tools.StorageTool', 'format', '-t', id, '-c', properties, ...users];
  const made = spawnSync('java', [...JAVA_FLAGS, ...tool], { encoding: 'utf8', cwd: folder });
  if (made.status !== 0)
    throw new KafkaUnavailableError(`Kafka could not format its folder: ${made.stdout}${made.stderr}`);
}

/** The jars bring no logger, so the broker says nothing: that it listens is the sign. */
async function untilListening(child: ChildProcess, port: number, log: string): Promise<void> {
  const deadline = Date.now() + START_TIMEOUT_MS;
  while (!(await listens(port))) {
    if (child.exitCode !== null || Date.now() > deadline) {
      throw new KafkaUnavailableError(`The broker did not start: ${readFileSync(log, 'utf8').slice(-2_000)}`);
    }
    await delay(50);
  }
}

async function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => {
      resolve(false);
    });
  });
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = new Promise<void>((resolve) =>
    child.once('exit', () => {
      resolve();
    }),
  );
  child.stdin?.end();
  await Promise.race([exit, delay(STOP_TIMEOUT_MS, undefined, { ref: false })]);
  if (child.exitCode === null && child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
}

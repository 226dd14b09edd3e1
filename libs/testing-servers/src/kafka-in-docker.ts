import { connect } from 'node:net';
import { freePort } from '@tidemark/bundled-postgres';
import { BROKER_SETTINGS, KAFKA_VERSION, type KafkaBroker, KafkaUnavailableError } from './kafka-broker.ts';

/** Whether a Docker engine listens where `DOCKER_HOST` or the usual socket says. */
export async function dockerAnswers(): Promise<boolean> {
  const host = process.env['DOCKER_HOST'] ?? 'unix:///var/run/docker.sock';
  const url = new URL(host);
  const target =
    url.protocol === 'unix:' ? { path: url.pathname } : { host: url.hostname, port: Number(url.port || 2375) };
  return new Promise((resolve) => {
    const socket = connect(target);
    const answer = (yes: boolean): void => {
      socket.destroy();
      resolve(yes);
    };
    socket.setTimeout(2_000, () => {
      answer(false);
    });
    socket.once('connect', () => {
      answer(true);
    });
    socket.once('error', () => {
      answer(false);
    });
  });
}

/**
 * The official image. The port is chosen before the start, and the same inside and outside: the broker announces one
 * address, by which both we and it itself (to write the markers of transactions) must reach it.
 */
export async function startKafkaInDocker(): Promise<KafkaBroker> {
  // Loaded here alone: it is large, and of no use where the jars run.
  const { GenericContainer, Wait } = await import('testcontainers');
  const port = await freePort();
  const settings = {
    ...BROKER_SETTINGS,
    'controller.quorum.voters': '1@localhost:9093',
    listeners: `PLAINTEXT://:${port},CONTROLLER://:9093`,
    'advertised.listeners': `PLAINTEXT://127.0.0.1:${port}`,
  };
  try {
    const container = await new GenericContainer(`apache/kafka:${KAFKA_VERSION}`)
      .withExposedPorts({ container: port, host: port })
      .withEnvironment({ ...asEnvironment(settings), KAFKA_HEAP_OPTS: '-Xmx256m -Xms64m' })
      .withWaitStrategy(Wait.forLogMessage(/Kafka Server started/))
      .withStartupTimeout(120_000)
      .start();
    return {
      brokers: [`127.0.0.1:${port}`],
      by: 'docker',
      async stop() {
        await container.stop();
      },
    };
  } catch (cause) {
    throw new KafkaUnavailableError(
      `Docker answers, but the container apache/kafka:${KAFKA_VERSION} did not start: ${String(cause)}`,
      { cause },
    );
  }
}

/** The image's own convention: KAFKA_, dots as underscores, upper case. */
function asEnvironment(settings: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(settings).map(([name, value]) => [`KAFKA_${name.replaceAll('.', '_').toUpperCase()}`, value]),
  );
}

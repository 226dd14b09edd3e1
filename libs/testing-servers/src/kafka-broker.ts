/** A running broker of a test run. */
export interface KafkaBroker {
  /** `host:port` addresses for a client. */
  readonly brokers: readonly string[];
  /** How it came to be here. */
  readonly by: 'docker' | 'jars';
  stop(): Promise<void>;
}

/** A broker from its jars, which can be hurt. */
export interface OwnKafkaBroker extends KafkaBroker {
  /** `host:port` by the name of a listener that was asked for. */
  readonly addresses: Readonly<Record<string, string>>;
  /** Kills it; its data and its address stay. */
  crash(): Promise<void>;
  /** Starts it again where it was, and resolves when it listens. */
  revive(): Promise<void>;
}

/** What of a broker of one's own differs from the usual one. */
export interface OwnKafkaOptions {
  readonly settings?: Readonly<Record<string, string>>;
  /** Listeners beside the plain one, with their protocol: `{ SECURE: 'SASL_SSL' }`. */
  readonly listeners?: Readonly<Record<string, string>>;
  /** `host:port` that clients of a listener are told instead of its own, by its name: of a proxy that leads to it. */
  readonly advertised?: Readonly<Record<string, string>>;
  /** `SCRAM-SHA-256=[name=…,password=…]`, made known when its folder is formatted. */
  readonly scram?: readonly string[];
  /** Resolve as soon as it listens, before its coordinators answer. */
  readonly cold?: boolean;
}

/** The release that the tests run on, unless the environment names another; `tools/kafka/pom.xml` names the same one. */
export const KAFKA_VERSION = process.env['TIDEMARK_TEST_KAFKA_VERSION'] ?? '4.1.1';

/** No broker can be started here; the message says what is missing. */
export class KafkaUnavailableError extends Error {
  override readonly name = 'KafkaUnavailableError';
  readonly code = 'testing.kafka_unavailable';
  readonly retriable = false;
}

/**
 * Settings of a small broker of one node, beside its addresses: internal topics of few partitions and one replica, no
 * wait before a group's first assignment, and a cleaner that compacts soon after a segment is closed.
 */
export const BROKER_SETTINGS: Readonly<Record<string, string>> = {
  'process.roles': 'broker,controller',
  'node.id': '1',
  'controller.listener.names': 'CONTROLLER',
  'inter.broker.listener.name': 'PLAINTEXT',
  'listener.security.protocol.map': 'PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT',
  'offsets.topic.num.partitions': '4',
  'offsets.topic.replication.factor': '1',
  'transaction.state.log.num.partitions': '4',
  'transaction.state.log.replication.factor': '1',
  'transaction.state.log.min.isr': '1',
  'group.initial.rebalance.delay.ms': '0',
  'auto.create.topics.enable': 'false',
  'log.cleaner.backoff.ms': '200',
  'log.cleaner.dedupe.buffer.size': '16777216',
  'num.network.threads': '2',
  'num.io.threads': '2',
};

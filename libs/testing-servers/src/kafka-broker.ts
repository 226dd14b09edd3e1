/** A running broker of a test run. */
export interface KafkaBroker {
  /** `host:port` addresses for a client. */
  readonly brokers: readonly string[];
  /** How it came to be here. */
  readonly by: 'docker' | 'jars';
  stop(): Promise<void>;
}

/** The release that the tests run on; `tools/kafka/pom.xml` names the same one. */
export const KAFKA_VERSION = '4.1.1';

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

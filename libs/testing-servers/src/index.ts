/**
 * Real servers for specs and benches: `startPostgres` (a fresh database each), `startKafka` (one broker a run) and
 * `describeWithKafka` (a suite that may not be skipped silently).
 */
export { sayUntested } from './ask-run.ts';
export { describeWithKafka } from './describe-with-kafka.ts';
export {
  KAFKA_VERSION,
  type KafkaBroker,
  KafkaUnavailableError,
  type OwnKafkaBroker,
  type OwnKafkaOptions,
} from './kafka-broker.ts';
export { describeWithOwnKafka } from './describe-with-own-kafka.ts';
export { makeCertificate, type TestCertificate } from './make-certificate.ts';
export { startOwnPostgres } from './start-own-postgres.ts';
export { startKafka, type TestKafkaOptions } from './start-kafka.ts';
export { startPostgres, type TestPostgres } from './start-postgres.ts';

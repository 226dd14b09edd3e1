/**
 * Real servers for specs and benches: `startPostgres` (a fresh database each), `startKafka` (one broker a run) and
 * `describeWithKafka` (a suite that may not be skipped silently).
 */
export { sayUntested } from './ask-run.ts';
export { describeWithKafka } from './describe-with-kafka.ts';
export { KAFKA_VERSION, type KafkaBroker, KafkaUnavailableError } from './kafka-broker.ts';
export { startKafka, type TestKafkaOptions } from './start-kafka.ts';
export { startPostgres, type TestPostgres } from './start-postgres.ts';

import { askRun } from './ask-run.ts';
import { type KafkaBroker } from './kafka-broker.ts';
import { kafkaOfThisProcess } from './servers-in-this-process.ts';
import { startOwnKafka } from './start-own-kafka.ts';

export interface TestKafkaOptions {
  /** A broker of one's own, to stop or hurt. Default: the one that all files of the run share. */
  readonly own?: boolean;
}

/**
 * A real Apache Kafka whose coordinators answer. Files of a run share one broker: name topics, groups and transactional
 * ids with something random. `stop()` of a shared broker does nothing; the run stops it.
 * @throws {Error} when none can be started here: see `describeWithKafka`, which knows what that means under CI
 */
export async function startKafka(options: TestKafkaOptions = {}): Promise<KafkaBroker> {
  if (options.own === true) return startOwnKafka();
  const shared = await askRun<Omit<KafkaBroker, 'stop'>>('kafka');
  if (shared === undefined) return kafkaOfThisProcess();
  return { ...shared, stop: async () => Promise.resolve() };
}

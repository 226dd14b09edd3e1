import { startKafkaFromJars } from './kafka-from-jars.ts';
import { type KafkaBroker } from './kafka-broker.ts';
import { dockerAnswers, startKafkaInDocker } from './kafka-in-docker.ts';
import { untilCoordinatorsAnswer } from './until-coordinators-answer.ts';

/**
 * A real Apache Kafka for tests: a container where a Docker engine answers, else the broker's own jars on Java.
 * Resolves when its group and transaction coordinators answer.
 * @throws {KafkaUnavailableError}
 */
export async function startOwnKafka(): Promise<KafkaBroker> {
  const broker = (await dockerAnswers()) ? await startKafkaInDocker() : await startKafkaFromJars();
  try {
    await untilCoordinatorsAnswer(broker.brokers);
  } catch (error) {
    await broker.stop();
    throw error;
  }
  return broker;
}

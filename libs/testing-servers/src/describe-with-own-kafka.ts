import { afterAll, describe, it } from 'vitest';
import type { OwnKafkaBroker, OwnKafkaOptions } from './kafka-broker.ts';
import { startKafkaFromJars } from './kafka-from-jars.ts';
import { untilCoordinatorsAnswer } from './until-coordinators-answer.ts';

/**
 * A suite that hurts its broker or sets it up in a way of its own, so it runs from the jars even where a Docker engine
 * answers. Where Java or Maven is missing it fails under `CI=true`, and is skipped elsewhere.
 */
export function describeWithOwnKafka(
  name: string,
  suite: (kafka: OwnKafkaBroker) => void,
  options: OwnKafkaOptions | (() => OwnKafkaOptions) = {},
): void {
  describe(name, async () => {
    let kafka: OwnKafkaBroker;
    try {
      const given = typeof options === 'function' ? options() : options;
      kafka = await startKafkaFromJars(given);
      if (given.cold !== true) await untilCoordinatorsAnswer(kafka.brokers);
    } catch (error) {
      if (process.env['CI'] === 'true') throw error;
      it.skip('KAFKA WAS NOT TESTED: no broker could be started');
      return;
    }
    // Before the suite's own, so that it runs after them.
    afterAll(() => kafka.stop());
    suite(kafka);
  });
}

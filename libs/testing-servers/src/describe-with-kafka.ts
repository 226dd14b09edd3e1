import { afterAll, describe, it } from 'vitest';
import { type KafkaBroker } from './kafka-broker.ts';
import { startKafka, type TestKafkaOptions } from './start-kafka.ts';

/**
 * A suite that needs a real broker, shared by the run or one of its own. Where none can be started the suite fails under
 * `CI=true`; elsewhere its tests are skipped, and the run ends with a loud word that Kafka was not tested, and why.
 */
export function describeWithKafka(
  name: string,
  suite: (kafka: KafkaBroker) => void,
  options: TestKafkaOptions = {},
): void {
  describe(name, async () => {
    let kafka: KafkaBroker;
    try {
      kafka = await startKafka(options);
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

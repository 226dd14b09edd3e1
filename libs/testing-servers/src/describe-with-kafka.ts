import { describe, it } from 'vitest';
import { type KafkaBroker } from './kafka-broker.ts';
import { startKafka } from './start-kafka.ts';

/**
 * A suite that needs a real broker, shared by the run. Where none can be started the suite fails under `CI=true`;
 * elsewhere its tests are skipped, and it says loudly that Kafka was not tested, and why.
 */
export function describeWithKafka(name: string, suite: (kafka: KafkaBroker) => void): void {
  describe(name, async () => {
    let kafka: KafkaBroker;
    try {
      kafka = await startKafka();
    } catch (error) {
      if (process.env['CI'] === 'true') throw error;
      warn(name, error);
      it.skip('KAFKA WAS NOT TESTED: no broker could be started');
      return;
    }
    suite(kafka);
  });
}

function warn(name: string, error: unknown): void {
  const reason = error instanceof Error ? error.message : String(error);
  const line = '!'.repeat(100);
  process.stderr.write(`\n${line}\n!! KAFKA WAS NOT TESTED: "${name}" was skipped.\n!! ${reason}\n${line}\n`);
}

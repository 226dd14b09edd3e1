import { randomBytes } from 'node:crypto';
import { type EventLog, openKafkaEventLog } from '@tidemark/event-log';
import { describeWithKafka } from '@tidemark/testing-servers';
import { afterAll, afterEach, beforeAll } from 'vitest';
import { describeBatches } from './testing/batch-suite.ts';
import { describeCrashes } from './testing/crash-suite.ts';
import { describeMovedOffsets, describeReplays } from './testing/replay-suite.ts';
import { describeReplicas } from './testing/replica-suite.ts';

describeWithKafka(
  'with a real broker',
  (kafka) => {
    let log: EventLog;
    let environment = newEnvironment();

    beforeAll(() => {
      log = openKafkaEventLog({ brokers: kafka.brokers, replicationFactor: 1, minInsyncReplicas: 1 });
    });
    afterEach(async () => {
      // Topics have the names that they have: each test begins without any, so the broker must be its own.
      for (const topic of await log.admin.list()) await log.admin.deleteTopic(topic);
      environment = newEnvironment();
    });
    afterAll(() => log.close());

    const options = () => ({ log, environment });
    describeBatches('Kafka', options);
    describeCrashes('Kafka', options);
    describeReplicas('Kafka', options);
    describeReplays('Kafka', options);
    describeMovedOffsets('Kafka', options);
  },
  { own: true },
);

const newEnvironment = (): string => `spec-${randomBytes(4).toString('hex')}`;

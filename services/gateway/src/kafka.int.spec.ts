import { type EventLog, openKafkaEventLog } from '@tidemark/event-log';
import { describeWithKafka } from '@tidemark/testing-servers';
import { afterAll, beforeAll } from 'vitest';
import { describeReadModel } from './testing/read-model-suite.ts';

describeWithKafka(
  'with a real broker',
  (kafka) => {
    let log: EventLog;

    beforeAll(() => {
      log = openKafkaEventLog({ brokers: kafka.brokers, replicationFactor: 1, minInsyncReplicas: 1 });
    });
    afterAll(() => log.close());

    describeReadModel('Kafka', () => ({ log, environment: 'gateway-spec' }));
  },
  { own: true },
);

import { describeWithKafka } from '@tidemark/testing-servers';
import { describeChaos } from '../testing/chaos-suite.ts';
import { openKafkaEventLog } from './kafka-event-log.ts';

describeWithKafka('with a real broker', ({ brokers }) => {
  describeChaos('the event log on Kafka', {
    open: () => Promise.resolve(openKafkaEventLog({ brokers, replicationFactor: 1 })),
    brokers,
    // The least that a broker allows.
    sessionTimeoutMs: 6_000,
  });
});

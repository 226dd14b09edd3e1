import { describeWithKafka } from '@tidemark/testing-servers';
import { describeEventLog } from '../testing/contract-suite.ts';
import { openKafkaEventLog } from './kafka-event-log.ts';

describeWithKafka('with a real broker', (kafka) => {
  describeEventLog('Kafka', {
    open: () =>
      Promise.resolve(
        openKafkaEventLog({
          brokers: kafka.brokers,
          replicationFactor: 1,
          // Compaction within a test's time.
          topicConfig: { 'segment.ms': '1000', 'min.cleanable.dirty.ratio': '0.01', 'max.compaction.lag.ms': '1000' },
        }),
      ),
    compactsByItself: true,
  });
});

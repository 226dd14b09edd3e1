import { it } from 'vitest';
import { describeWithKafka } from '../index.ts';

/** A suite for the spec beside it, which runs it where no broker can be started. */
describeWithKafka('needs Kafka', () => {
  it('never runs here', () => undefined);
});

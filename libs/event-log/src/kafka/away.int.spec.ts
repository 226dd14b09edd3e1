import { describeWithKafka, startKafka } from '@tidemark/testing-servers';
import { expect, test } from 'vitest';
import { LogUnavailableError } from '../errors.ts';
import { Collector } from '../testing/collector.ts';
import { append, Harness, record, unique, until } from '../testing/harness.ts';
import { openKafkaEventLog } from './kafka-event-log.ts';

describeWithKafka('a broker that goes away', () => {
  test('is told, and stop and close end all the same', async () => {
    const broker = await startKafka({ own: true });
    const harness = new Harness({
      open: () => Promise.resolve(openKafkaEventLog({ brokers: broker.brokers, replicationFactor: 1 })),
      compactsByItself: true,
    });
    const log = await harness.open();
    const topic = await harness.topic(log);
    const writer = await log.writer(unique());
    const group = unique();
    const collector = new Collector(harness.offsets, group);
    const consumer = await log.consume({ group, topic, sessions: collector });
    await append(writer, record(topic, 'a', '1'));
    await until('the first', () => collector.stored.length === 1);
    await broker.stop();
    await until('the fault is told', () => collector.faults.some(({ fault }) => fault instanceof LogUnavailableError));
    await expect(append(writer, record(topic, 'a', '2'))).rejects.toThrow(LogUnavailableError);
    await expect(log.ping()).rejects.toThrow(LogUnavailableError);
    const began = performance.now();
    await consumer.stop();
    await harness.close();
    expect(performance.now() - began).toBeLessThan(20_000);
  }, 120_000);
});

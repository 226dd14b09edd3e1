import { describeWithKafka } from '@tidemark/testing-servers';
import { Kafka, logLevel, type Producer } from 'kafkajs';
import { afterEach, expect, test } from 'vitest';
import { Collector, text } from '../testing/collector.ts';
import { append, Harness, partitionIdOf, readAll, record, unique, until } from '../testing/harness.ts';
import { openKafkaEventLog } from './kafka-event-log.ts';

/** What only Kafka has: records of aborted transactions, in the log and not to be seen. */
describeWithKafka('aborted transactions', ({ brokers }) => {
  const harness = new Harness({
    open: () => Promise.resolve(openKafkaEventLog({ brokers, replicationFactor: 1 })),
    compactsByItself: true,
  });
  const kafka = new Kafka({ brokers: [...brokers], logLevel: logLevel.NOTHING });
  const producers: Producer[] = [];
  afterEach(async () => {
    await Promise.all(producers.splice(0).map((producer) => producer.disconnect()));
    await harness.close();
  });

  const begin = async () => {
    const transactional = { transactionalId: unique(), idempotent: true, maxInFlightRequests: 1 };
    const producer = kafka.producer({ ...transactional, retry: { initialRetryTime: 5, retries: 12 } });
    producers.push(producer);
    await producer.connect();
    return await producer.transaction();
  };
  type Transaction = Awaited<ReturnType<typeof begin>>;
  const send = (transaction: Transaction, topic: string, ...values: string[]) =>
    transaction.send({ topic, messages: values.map((value) => ({ key: 'a', value })) });

  test('overlapping ones stay unseen, and what was committed between them is seen', async () => {
    const log = await harness.open();
    const topic = await harness.topic(log);
    const [first, second, third] = [await begin(), await begin(), await begin()];
    await send(second, topic, 'aborted 2a');
    await send(first, topic, 'aborted 1a');
    await send(third, topic, 'committed 1');
    await send(second, topic, 'aborted 2b');
    await first.abort();
    await send(third, topic, 'committed 2');
    await third.commit();
    await send(second, topic, 'aborted 2c');
    await second.abort();
    await append(await log.writer(unique()), record(topic, 'a', 'committed 3'));
    const expected = ['committed 1', 'committed 2', 'committed 3'];
    expect((await readAll(log, topic)).map((r) => text(r.value))).toEqual(expected);
    const collector = new Collector(harness.offsets, unique());
    await log.consume({ group: unique(), topic, sessions: collector });
    await until('all committed', () => collector.stored.length >= 3);
    expect(collector.values()).toEqual(expected);
  });

  test('a run of aborted records and marks alone moves the stored offset to the end', async () => {
    const log = await harness.open();
    const topic = await harness.topic(log);
    for (let i = 0; i < 5; i += 1) {
      const transaction = await begin();
      await send(transaction, topic, 'aborted', 'aborted');
      await transaction.abort();
    }
    const group = unique();
    const id = await partitionIdOf(log, topic);
    // In the midst of the run.
    harness.offsets.set(group, id, 7n);
    const collector = new Collector(harness.offsets, group);
    await log.consume({ group, topic, sessions: collector });
    await until('lag 0', () => harness.offsets.next(group, id) === 15n);
    expect(collector.stored).toEqual([]);
    expect(collector.lost).toBe(0);
    await append(await log.writer(unique()), record(topic, 'a', 'committed'));
    await until('the committed one', () => collector.stored.length === 1);
  });

  test('an open transaction holds back what lies behind it until it is decided', async () => {
    const log = await harness.open();
    const topic = await harness.topic(log);
    const open = await begin();
    await send(open, topic, 'late');
    await append(await log.writer(unique()), record(topic, 'a', 'early'));
    const collector = new Collector(harness.offsets, unique());
    await log.consume({ group: unique(), topic, sessions: collector });
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    expect(collector.values()).toEqual([]);
    await open.commit();
    await until('both', () => collector.stored.length === 2);
    expect(collector.values()).toEqual(['late', 'early']);
  });

  test('a foreign commit of the group moves nothing', async () => {
    const log = await harness.open();
    const topic = await harness.topic(log);
    const group = unique();
    for (const value of ['1', '2']) await append(await log.writer(unique()), record(topic, 'a', value));
    const admin = kafka.admin();
    await admin.connect();
    await admin.setOffsets({ groupId: group, topic, partitions: [{ partition: 0, offset: '4' }] });
    const collector = new Collector(harness.offsets, group);
    const consumer = await log.consume({ group, topic, sessions: collector });
    await until('both', () => collector.stored.length === 2);
    expect(collector.values()).toEqual(['1', '2']);
    await append(await log.writer(unique()), record(topic, 'a', '3'));
    await until('the third', () => collector.stored.length === 3);
    await consumer.stop();
    // Kafka's own commit follows, for tools that show lag.
    const [committed] = await admin.fetchOffsets({ groupId: group, topics: [topic] });
    expect(committed?.partitions[0]?.offset).toBe('6');
    await admin.disconnect();
  });
});

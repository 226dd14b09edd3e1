import { randomUUID } from 'node:crypto';
import { Kafka, logLevel } from 'kafkajs';
import { expect, it } from 'vitest';
import { describeWithKafka } from './index.ts';

describeWithKafka('a shared broker', ({ brokers }) => {
  it('is ready for groups and transactions at once', async () => {
    const topic = `testing-servers-${randomUUID()}`;
    const errors: string[] = [];
    const kafka = new Kafka({
      brokers: [...brokers],
      logLevel: logLevel.ERROR,
      logCreator: () => (entry) => errors.push(entry.log.message),
    });
    const admin = kafka.admin();
    const producer = kafka.producer({ transactionalId: topic, idempotent: true, maxInFlightRequests: 1 });
    const consumer = kafka.consumer({ groupId: topic });
    await Promise.all([admin.connect(), producer.connect(), consumer.connect()]);
    await admin.createTopics({ topics: [{ topic, numPartitions: 2 }], waitForLeaders: true });
    const transaction = await producer.transaction();
    await transaction.send({ topic, messages: [{ key: 'k', value: 'v' }] });
    await transaction.commit();
    await consumer.subscribe({ topic, fromBeginning: true });
    const value = await new Promise<string | undefined>((resolve) => {
      void consumer.run({
        eachMessage: async ({ message }) => {
          resolve(message.value?.toString());
          return Promise.resolve();
        },
      });
    });
    expect(value).toBe('v');
    await Promise.all([consumer.disconnect(), producer.disconnect(), admin.disconnect()]);
    expect(errors).toEqual([]);
  });
});

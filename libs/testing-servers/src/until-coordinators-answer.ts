import { setTimeout as delay } from 'node:timers/promises';
import { Kafka, logLevel } from 'kafkajs';
import { KafkaUnavailableError } from './kafka-broker.ts';

const TIMEOUT_MS = 60_000;

/**
 * Waits until the group coordinator and the transaction coordinator answer. A new broker accepts connections seconds
 * before; clients that come in between log errors, crash and restart by themselves.
 * @throws {KafkaUnavailableError} after a minute
 */
export async function untilCoordinatorsAnswer(brokers: readonly string[]): Promise<void> {
  // Its complaints while it waits are what we wait for.
  const kafka = new Kafka({
    brokers: [...brokers],
    clientId: 'tidemark-readiness',
    logLevel: logLevel.NOTHING,
    retry: { retries: 1, initialRetryTime: 50 },
  });
  const deadline = Date.now() + TIMEOUT_MS;
  let last: unknown;
  while (Date.now() < deadline) {
    try {
      await askBoth(kafka);
      return;
    } catch (error) {
      last = error;
      await delay(100);
    }
  }
  throw new KafkaUnavailableError(`The broker's coordinators did not answer within a minute: ${String(last)}`, {
    cause: last,
  });
}

async function askBoth(kafka: Kafka): Promise<void> {
  const admin = kafka.admin();
  const producer = kafka.producer({ transactionalId: 'tidemark-readiness', idempotent: true, maxInFlightRequests: 1 });
  try {
    await admin.connect();
    await admin.fetchOffsets({ groupId: 'tidemark-readiness', topics: [] });
    await producer.connect();
    await (await producer.transaction()).abort();
  } finally {
    await Promise.allSettled([admin.disconnect(), producer.disconnect()]);
  }
}

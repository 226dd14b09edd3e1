import { type EventLog, openEmbeddedEventLog, openKafkaEventLog } from '@tidemark/event-log';
import type { Logger } from 'pino';
import type { AloneConfig } from './config/alone-config.ts';
import { kafkaSecurity } from './kafka-security.ts';

type LogConfig = Pick<AloneConfig, 'kafkaBrokers' | 'kafkaReplication' | 'databaseUrl'> &
  Partial<Parameters<typeof kafkaSecurity>[0]>;

/** The log that the environment names: Kafka where brokers are given, else tables of the database. */
export async function openLog(config: LogConfig, logger: Logger): Promise<EventLog> {
  if (config.kafkaBrokers === undefined) {
    return await openEmbeddedEventLog({ connection: { connectionString: config.databaseUrl } });
  }
  return openKafkaEventLog({
    brokers: config.kafkaBrokers.split(',').map((broker) => broker.trim()),
    replicationFactor: config.kafkaReplication,
    minInsyncReplicas: Math.min(2, config.kafkaReplication),
    ...kafkaSecurity({ kafkaTls: false, ...config }),
    log: (level, message, fields) => logger[level](fields, message),
  });
}

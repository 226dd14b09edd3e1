import { type Admin, Kafka, logLevel, type logCreator, type RetryOptions } from 'kafkajs';
import Cluster from 'kafkajs/src/cluster/index.js';
import defaultSocketFactory from 'kafkajs/src/network/socketFactory.js';
import { EventLogError, LogUnavailableError } from '../errors.ts';
import { connectionConfig, type KafkaEventLogOptions, type KafkaLogSink } from './options.ts';

/** Few and quick: every caller has a loop of its own that tries again and says so. */
const retry: RetryOptions = { initialRetryTime: 50, maxRetryTime: 1_000, retries: 5 };

/** Makes kafkajs clients of one configuration. */
export class KafkaClient {
  readonly options: KafkaEventLogOptions;
  readonly kafka: Kafka;

  constructor(options: KafkaEventLogOptions) {
    this.options = options;
    this.kafka = new Kafka({
      ...connectionConfig(options),
      retry,
      logLevel: options.log ? logLevel.INFO : logLevel.NOTHING,
      ...(options.log ? { logCreator: toSink(options.log) } : {}),
    });
  }

  /** Connections for reading without a group. */
  cluster(): Cluster {
    return new Cluster({
      ...connectionConfig(this.options),
      logger: this.kafka.logger(),
      retry,
      socketFactory: defaultSocketFactory(),
      enforceRequestTimeout: true,
      metadataMaxAge: 60_000,
      allowAutoTopicCreation: false,
      maxInFlightRequests: null,
      // For the ends of partitions: left out, kafkajs asks for the last stable offset, behind which records may lie.
      isolationLevel: 0,
    });
  }

  /** An admin for one task: one that lives on stumbles over topics that were deleted meanwhile. */
  async withAdmin<T>(task: (admin: Admin) => Promise<T>): Promise<T> {
    const admin = this.kafka.admin();
    try {
      await admin.connect();
      return await task(admin);
    } catch (error) {
      throw asUnavailable(error);
    } finally {
      await admin.disconnect().catch(() => undefined);
    }
  }
}

/** kafkajs wraps errors in errors; the broker's own word is at the end of the chain. */
export function kafkaErrorType(error: unknown): string | undefined {
  let found: string | undefined;
  for (let at = error, depth = 0; at instanceof Error && depth < 10; at = at.cause, depth += 1) {
    if ('type' in at && typeof at.type === 'string') found = at.type;
  }
  return found;
}

/** Errors of our own pass; all others mean that Kafka could not do it now. */
export function asUnavailable(error: unknown): Error {
  if (error instanceof EventLogError) return error;
  return new LogUnavailableError(`Kafka: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
}

/**
 * kafkajs calls ERROR what it then mends itself (a coordinator that is still loading, a rebalance). What a caller must
 * know reaches it as a fault or an error, so here ERROR and WARN are information, and the rest is for looking closely.
 */
const toSink =
  (sink: KafkaLogSink): logCreator =>
  () =>
  ({ namespace, level, log: { message, timestamp: _, logger: __, ...fields } }) => {
    sink(level <= logLevel.WARN ? 'info' : 'debug', `kafka ${namespace}: ${message}`, fields);
  };

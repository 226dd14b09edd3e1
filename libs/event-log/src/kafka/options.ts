import type { KafkaConfig, SASLOptions } from 'kafkajs';
import type { ConnectionOptions } from 'node:tls';

/** What the client says about itself; nothing that matters is said here alone. */
export type KafkaLogSink = (level: 'warn' | 'info' | 'debug', message: string, fields: Record<string, unknown>) => void;

export interface KafkaEventLogOptions {
  /** `host:port` of some brokers. */
  readonly brokers: readonly string[];
  /** Shows in the brokers' logs and quotas. Default `tidemark`. */
  readonly clientId?: string;
  /** TLS; true for the system's certificates. Default off. */
  readonly ssl?: boolean | ConnectionOptions;
  readonly sasl?: SASLOptions;
  /** Copies of each partition. Default 3. */
  readonly replicationFactor?: number;
  /** Copies that must have a record before it counts as written. Default 2; never above `replicationFactor`. */
  readonly minInsyncReplicas?: number;
  /** Further settings of the topics that are created. */
  readonly topicConfig?: Readonly<Record<string, string>>;
  /** Default: says nothing. */
  readonly log?: KafkaLogSink;
}

/** Of `KafkaEventLogOptions`, what kafkajs itself takes. */
export const connectionConfig = (options: KafkaEventLogOptions): KafkaConfig => ({
  brokers: [...options.brokers],
  clientId: options.clientId ?? 'tidemark',
  connectionTimeout: 5_000,
  ...(options.ssl === undefined ? {} : { ssl: options.ssl }),
  ...(options.sasl === undefined ? {} : { sasl: options.sasl }),
});
